/**
 * Leaves in `dist` the declarations that the exports of the package reach, and puts the official types that these name beside them, below
 * `dist/protocol/official-types`, so that who compiles against the package needs no `@adcp/sdk`. Run by the build, after the compiler.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { reachableFrom } from './pack-library.ts'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
const SDK_TYPES = '@adcp/sdk/types'
const source = dirname(createRequire(import.meta.url).resolve(SDK_TYPES))
const target = join(dist, 'protocol/official-types')

/** Modules of the SDK with what our public declarations name; they import each other and no package. */
const MODULES = ['core.generated', 'tools.generated', 'format-asset-slots']

mkdirSync(target, { recursive: true })
for (const module of MODULES) {
  const text = readFileSync(join(source, `${module}.d.ts`), 'utf8').replace(/^\/\/# sourceMappingURL.*$/m, '')
  writeFileSync(join(target, `${module}.d.ts`), text.replaceAll(/from '(\.\/[^']+)'/g, "from '$1.js'"))
}
const named = "export type * from './tools.generated.js';\nexport type { FormatAssetSlot } from './format-asset-slots.js';\n"
writeFileSync(join(target, 'index.d.ts'), named)

const exported = new Set<string>()
for (const entry of ['index.d.ts', 'ad-server.d.ts', 'ranking.d.ts']) {
  for (const file of reachableFrom(join(dist, entry)).files) {
    exported.add(file)
    const text = readFileSync(file, 'utf8')
    const place = relative(dirname(file), join(target, 'index.js'))
    if (text.includes(SDK_TYPES)) writeFileSync(file, text.replaceAll(`'${SDK_TYPES}'`, `'${place}'`))
  }
}

for (const file of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
  const path = join(dist, file)
  if (file.endsWith('.d.ts') && !exported.has(path) && !path.startsWith(target)) rmSync(path)
}
