/**
 * Puts libraries that ship far more than a program uses into single files below `dist/platform/libraries`, so that installing the program does not bring them whole. Their licences and the fonts of
 * documents are beside them. Run by `npm run build`, after the compiler.
 */
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { FONT_WEIGHTS, fontFile } from '../src/platform/libraries/fonts.ts'
import { licencesOf } from './licences.ts'

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

writeFileSync(join(target, 'LICENSES.txt'), licencesOf(metafile, ['dejavu-fonts-ttf']))
