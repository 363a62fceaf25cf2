/** How the UI is built, into the Python package that serves it, and how it is tried while written. */
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The server to ask while developing with `npm run dev`.
const SERVER = "http://127.0.0.1:5000";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: "../src/headwater/server/web/built",
    emptyOutDir: true,
    // Files of their own: the policy of the pages allows no data in place of a script or a font.
    assetsInlineLimit: 0,
    // The layout worker is large by nature, and loaded beside the page.
    chunkSizeWarningLimit: 2000,
  },
  server: { proxy: { "/api": SERVER, "/openapi.json": SERVER } },
  test: { environment: "jsdom", include: ["tests/**/*.test.{ts,tsx}"] },
});
