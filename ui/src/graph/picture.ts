/** The drawing as a picture for others: SVG that needs nothing beside it, and PNG made from it. */
import { lookOf } from "../systems";
import type { OpenedColumns } from "./column-pages";
import type { Wire } from "./edge-paths";
import { labelOf } from "./labels";
import type { GraphNode } from "./model";
import { INFERRED } from "./model";
import type { Scene } from "./scene";
import { boundsOf } from "./scene";
import { HEAD, ROW, rowMiddle, sizeOf } from "./sizes";

const MARGIN = 30;
const FONT = "Inter, Helvetica, Arial, sans-serif";

export function svgOf(scene: Scene, wires: Wire[]): string {
  const bounds = boundsOf(scene) ?? { x: 0, y: 0, width: 1, height: 1 };
  const [x, y] = [bounds.x - MARGIN, bounds.y - MARGIN];
  const [width, height] = [bounds.width + 2 * MARGIN, bounds.height + 2 * MARGIN];
  const nodes = [...scene.graph.nodes.values()].map((node) => drawNode(node, scene)).join("");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${x} ${y} ${width} ${height}">` +
    `<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0L8,4L0,8z" fill="#8695a6"/></marker></defs>` +
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#ffffff"/>` +
    `${wires.map(drawWire).join("")}${nodes}</svg>`
  );
}

function drawWire({ path, column, edge }: Wire): string {
  const colour = column ? (column.isMasked ? "#7a3fb0" : column.isIndirect ? "#b08400" : "#0b6bcb") : "#8695a6";
  const isInferred = column ? column.isInferred : edge?.kind === INFERRED;
  const pattern = isInferred ? (column?.isIndirect ? "5 3 1 3" : "1 4") : column?.isIndirect ? "5 4" : "";
  const dash = pattern && ` stroke-dasharray="${pattern}"`;
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.500"${dash}${column ? "" : ' marker-end="url(#a)"'}/>`;
}

function drawNode(node: GraphNode, { places, opened, graph }: Scene): string {
  const { x, y } = places.get(node.id) ?? { x: 0, y: 0 };
  const columns = opened.get(node.id);
  const { width, height } = sizeOf(node, columns);
  const look = lookOf(node.system);
  const label = labelOf(node);
  const radius = node.kind === "job" ? height / 2 : 8;
  const stroke = node.id === graph.focus ? 3 : 1.2;
  const head = Math.min(height, HEAD);
  return (
    `<g transform="translate(${x} ${y})"><rect width="${width}" height="${height}" rx="${radius}" fill="hsl(${look.hue} 60% 97%)" stroke="hsl(${look.hue} 45% 45%)" stroke-width="${stroke}"/>` +
    `<g transform="translate(14 ${head / 2 - 10}) scale(1.250)"><path d="${look.icon}" fill="none" stroke="hsl(${look.hue} 60% 35%)" stroke-width="1.300"/></g>` +
    text(42, head / 2 - 12, fit(label.name, 24), 13, 600) +
    text(42, head / 2 + 5, fit(label.place, 30), 11, 400) +
    text(
      42,
      head / 2 + 22,
      fit([look.label, node.state?.toLowerCase(), ...node.tags].filter(Boolean).join(" · "), 30),
      11,
      400,
    ) +
    (columns ? drawColumns(columns) : "") +
    "</g>"
  );
}

function drawColumns({ shown, hasTools }: OpenedColumns): string {
  return shown
    .map(({ name }, index) => text(16, rowMiddle(index, hasTools) + ROW / 6, fit(name, 30), 12, 400))
    .join("");
}

function text(x: number, y: number, words: string, size: number, weight: number): string {
  return `<text x="${x}" y="${y}" font-family="${FONT}" font-size="${size}" font-weight="${weight}" fill="#1c2733">${escapeXml(words)}</text>`;
}

function fit(words: string, most: number): string {
  const letters = [...words];
  const half = Math.floor((most - 1) / 2);
  return letters.length > most
    ? `${letters.slice(0, most - 1 - half).join("")}…${letters.slice(-half).join("")}`
    : words;
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

export function escapeXml(words: string): string {
  return (
    words
      // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold control characters at all.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "")
      .replace(/[&<>"']/g, (letter) => ESCAPES[letter]!)
  );
}

/** Twice as sharp, unless that would be larger than a browser draws. */
export async function pngOf(svg: string, width: number, height: number): Promise<Blob> {
  const scale = Math.min(2, 16_000 / Math.max(width, height));
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(width * scale);
    canvas.height = Math.ceil(height * scale);
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob(
        (blob) => (blob ? resolve(blob) : reject(new Error("the picture could not be drawn"))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
