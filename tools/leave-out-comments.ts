/**
 * Removes the comments from the compiled files, a sixth of their size, so that an install is smaller. Declarations (`.d.ts`) keep their comments, and source maps still point to the sources. Run by `npm run build`, right after
 * the compiler.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const dist = fileURLToPath(new URL('../dist', import.meta.url))

await build({
  entryPoints: readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(dist, file)),
  outdir: dist,
  outbase: dist,
  allowOverwrite: true,
  sourcemap: true,
  sourcesContent: false,
  target: 'esnext',
  format: 'esm',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
})
