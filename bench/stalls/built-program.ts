import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const SOURCE = new URL('../../src/', import.meta.url)
const BUILT = new URL('../../dist/', import.meta.url)

/** A program that runs without a loader of TypeScript. */
export interface BuiltProgram {
  readonly path: string
  remove(): void
}

/** A program of the bench in JavaScript, in a folder of its own, that imports the server as it was built. Throws where nothing was. */
export async function builtProgram(source: string): Promise<BuiltProgram> {
  if (!existsSync(new URL('main.js', BUILT))) throw new Error('there is no built server; run npm run build')
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-bench-'))
  const path = join(folder, 'program.mjs')
  await build({
    entryPoints: [source],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [{ name: 'the built server', setup: (plugin) => plugin.onResolve({ filter: /\/src\/.*\.ts$/ }, builtModule) }],
  })
  return { path, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

function builtModule({ path, resolveDir }: { readonly path: string; readonly resolveDir: string }) {
  const { href } = pathToFileURL(join(resolveDir, path))
  if (!href.startsWith(SOURCE.href)) return undefined
  return { path: fileURLToPath(new URL(href.slice(SOURCE.href.length).replace(/\.ts$/, '.js'), BUILT)), external: true }
}
