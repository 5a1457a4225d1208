/**
 * Puts the compiled program into few files, `dist/program`, with the libraries that a start needs most of: opening, resolving and compiling two thousand modules was most of the time of a start. What is
 * named from outside (the commands, the exports of the package, the programs of threads) stays at its path and leads there. Names of functions stay. The compiled modules stay beside it for tools that
 * start a part of the server; the package leaves them out. Run by `npm run build`, after the compiler.
 */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import { licencesOf } from './licences.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const program = join(dist, 'program')
const libraries = join(dist, 'platform/libraries')

/** Commands are executable; `choose-sqlite-driver` is what tells which driver of the store serves. */
const COMMANDS = ['cli/sales-agent.js', 'cli/adcp-sales-agent.js']
const NAMED = [...COMMANDS, 'index.js', 'ad-server.js', 'ranking.js', 'store/sqlite/choose-sqlite-driver.js']

const compiled = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.js') && dirname(join(dist, file)) !== libraries,
)
const entries = [...NAMED, ...compiled.filter((file) => file.endsWith('-thread.js'))]
/** The file of an entry in `program`, without extension. */
const nameOf = (entry: string) => entry.slice(0, -'.js'.length).replaceAll(sep, '-')

/** `import.meta.url` stays the address that a module had in `dist`, and libraries with files of their own stay outside. */
const places: Plugin = {
  name: 'places',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path)
      return dirname(file) === libraries ? { path: relative(program, file).replaceAll(sep, '/'), external: true } : undefined
    })
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(dist + sep)) return undefined
      const address = `new URL(${JSON.stringify(relative(program, path).replaceAll(sep, '/'))}, import.meta.url).href`
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', address), loader: 'js' }
    })
  },
}

const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const installed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies, tsx: '' })
const { metafile } = await build({
  entryPoints: Object.fromEntries(entries.map((file) => [nameOf(file), join(dist, file)])),
  outdir: program,
  absWorkingDir: root,
  bundle: true,
  splitting: true,
  metafile: true,
  sourcemap: true,
  sourcesContent: false,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  charset: 'utf8',
  minifyWhitespace: true,
  minifySyntax: true,
  lineLimit: 500,
  external: installed.flatMap((name) => [name, `${name}/*`]),
  plugins: [places],
  legalComments: 'none',
  logLevel: 'warning',
  // Libraries of CommonJS ask for modules of Node with it.
  banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);" },
})
writeFileSync(join(program, 'LICENSES.txt'), licencesOf(metafile))

for (const file of entries) {
  const to = relative(dirname(join(dist, file)), join(program, `${nameOf(file)}.js`)).replaceAll(sep, '/')
  const from = JSON.stringify(to.startsWith('.') ? to : `./${to}`)
  const isCommand = COMMANDS.includes(file)
  writeFileSync(join(dist, file), isCommand ? `#!/usr/bin/env node\nimport ${from}\n` : `export * from ${from}\n`)
  if (isCommand) chmodSync(join(dist, file), 0o755)
}
