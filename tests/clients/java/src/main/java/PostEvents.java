import io.openlineage.client.OpenLineage;
import io.openlineage.client.OpenLineage.RunEvent.EventType;
import io.openlineage.client.OpenLineageClient;
import io.openlineage.client.transports.HttpConfig;
import io.openlineage.client.transports.HttpTransport;
import java.net.URI;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.UUID;

/** Posts the START and the COMPLETE of one run: PostEvents URL NAMESPACE JOB RUN_ID none|gzip. */
public final class PostEvents {
  private static final OpenLineage LINEAGE =
      new OpenLineage(URI.create("https://example.com/headwater-tests"));

  public static void main(String[] arguments) throws Exception {
    HttpConfig config = new HttpConfig();
    config.setUrl(URI.create(arguments[0]));
    if (arguments[4].equals("gzip")) {
      config.setCompression(HttpConfig.Compression.GZIP);
    }
    OpenLineage.Job job = LINEAGE.newJob(arguments[1], arguments[2], null);
    OpenLineage.Run run = LINEAGE.newRun(UUID.fromString(arguments[3]), null);
    try (OpenLineageClient client = new OpenLineageClient(new HttpTransport(config))) {
      client.emit(event(EventType.START, run, job));
      client.emit(event(EventType.COMPLETE, run, job));
    }
  }

  private static OpenLineage.RunEvent event(
      EventType type, OpenLineage.Run run, OpenLineage.Job job) {
    String topics = "kafka://broker:9092";
    return LINEAGE
        .newRunEventBuilder()
        .eventTime(ZonedDateTime.now(ZoneOffset.UTC))
        .eventType(type)
        .run(run)
        .job(job)
        .inputs(List.of(LINEAGE.newInputDataset(topics, "orders", schema("DOUBLE"), null)))
        .outputs(List.of(LINEAGE.newOutputDataset(topics, "totals", schema("DECIMAL"), null)))
        .build();
  }

  private static OpenLineage.DatasetFacets schema(String amountType) {
    OpenLineage.SchemaDatasetFacet fields =
        LINEAGE.newSchemaDatasetFacet(
            List.of(field("customer", "STRING"), field("amount", amountType)));
    return LINEAGE.newDatasetFacetsBuilder().schema(fields).build();
  }

  private static OpenLineage.SchemaDatasetFacetFields field(String name, String type) {
    return LINEAGE.newSchemaDatasetFacetFieldsBuilder().name(name).type(type).build();
  }
}
