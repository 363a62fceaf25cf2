/** What is used of Swagger UI, whose package has no types. */
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  interface Shown {
    preauthorizeApiKey(scheme: string, key: string): void;
  }
  export default function SwaggerUI(options: Record<string, unknown>): Shown;
}
