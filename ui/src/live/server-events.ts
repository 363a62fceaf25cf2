/** Reading server-sent events of an answer: a browser's own reader can send neither a key nor a resume id. */

export interface ServerEvent {
  type: string;
  id: string;
  data: string;
}

/** The events of a body; `onBytes` is told of every sign of life, comments as well. */
export async function* serverEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = readBlock(block);
        if (event) yield event;
      }
    }
  } finally {
    // What is left of the answer is of no use to anybody.
    await reader.cancel().catch(() => undefined);
  }
}

/** One event; nothing if a block is only a comment, or says how long to wait. */
export function readBlock(block: string): ServerEvent | undefined {
  const fields = new Map<string, string>();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ""));
  }
  const data = fields.get("data");
  if (data === undefined) return undefined;
  return { type: fields.get("event") ?? "message", id: fields.get("id") ?? "", data };
}
