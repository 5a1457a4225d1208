/**
 * Makes an npm package of the consumer's library alone, for programs that verify and never sell:
 * `npx tsx tools/pack-library.ts OUT` copies what `dist/index.js` loads, with its types, into OUT. Needs a build.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const repository = fileURLToPath(new URL('..', import.meta.url))

/** The files below a folder that an entry loads, and the packages that they import. Types have the entry `index.d.ts`. */
export function reachableFrom(entry: string): { readonly files: ReadonlySet<string>; readonly packages: ReadonlySet<string> } {
  const files = new Set<string>()
  const packages = new Set<string>()
  const open = [entry]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue
    files.add(file)
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      const target = resolve(dirname(file), specifier)
      if (specifier.startsWith('.')) open.push(file.endsWith('.d.ts') ? target.replace(/(?:\.d)?\.[jt]s$/, '.d.ts') : target)
      else if (!specifier.startsWith('node:')) packages.add(specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
    }
  }
  return { files, packages }
}

/** Writes the package into a folder; returns the packages that it depends on. */
export function packLibrary(out: string, dist = join(repository, 'dist')): readonly string[] {
  const own = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const [code, types] = [reachableFrom(join(dist, 'index.js')), reachableFrom(join(dist, 'index.d.ts'))]
  for (const file of [...code.files, ...types.files]) {
    const target = join(out, 'dist', relative(dist, file))
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(file, target)
  }
  const packages = [...new Set([...code.packages, ...types.packages])].sort()
  const manifest = {
    name: 'adcp-directory-client',
    version: own.version,
    description: 'Verifies who may sell for whom: adagents.json, supply paths and publisher directories of AdCP',
    license: own.license,
    type: 'module',
    engines: own.engines,
    files: ['dist'],
    exports: { '.': { types: './dist/index.d.ts', import: './dist/index.js' }, './package.json': './package.json' },
    dependencies: Object.fromEntries(packages.map((name) => [name, own.dependencies[name]])),
  }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  copyFileSync(join(repository, 'LICENSE'), join(out, 'LICENSE'))
  return packages
}

const [, program, out] = process.argv
if (program !== undefined && resolve(program) === fileURLToPath(import.meta.url)) {
  if (out === undefined) throw new Error('name the folder to write the package into')
  mkdirSync(out, { recursive: true })
  console.log(`${out}: depends on ${packLibrary(out).join(', ')}`)
}
