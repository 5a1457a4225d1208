/**
 * Puts libraries that ship far more than a program uses into single files below `dist/platform/libraries`, so that installing the program does not bring them whole. Their licences and the fonts of
 * documents are beside them. Run by `npm run build`, after the compiler.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { FONT_WEIGHTS, fontFile } from '../src/platform/libraries/fonts.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'src/platform/libraries')
const target = join(root, 'dist/platform/libraries')

const entries = readdirSync(source)
  .filter((file) => file.endsWith('.ts') && file !== 'fonts.ts' && !file.endsWith('.d.ts'))
  .map((file) => join(source, file))
const { metafile } = await build({
  entryPoints: entries,
  outdir: target,
  allowOverwrite: true,
  bundle: true,
  minify: true,
  lineLimit: 500,
  metafile: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  logLevel: 'error',
  // Libraries of CommonJS ask for modules of Node with it.
  banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
})
for (const weight of FONT_WEIGHTS) copyFileSync(fontFile(weight), join(target, basename(fontFile(weight))))

const packages = new Set(['dejavu-fonts-ttf'])
for (const input of Object.keys(metafile.inputs)) {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input) ?? []
  if (name !== undefined) packages.add(name)
}
writeFileSync(join(target, 'LICENSES.txt'), [...packages].sort().map(licenceOf).join('\n\n'))

/** The licence of a package as it ships it, or the name of it. */
function licenceOf(name: string): string {
  const folder = join(root, 'node_modules', name)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
  const text =
    file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`
  return `== ${name} ${version}\n${text}`
}
