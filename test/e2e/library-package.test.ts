import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { packLibrary } from '../../tools/pack-library.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(repository, 'node_modules')
/** No program of this test may hang. */
const BOUNDED = { stdio: 'pipe', timeout: 120_000 } as const

const PROGRAM = `import { createSafeFetch, judgeSupplyPath, type SafeFetch, type Verification, verifyAgentAuthorization } from 'adcp-directory-client'

const properties = [{ property_id: 'home', property_type: 'website', name: 'Home', identifiers: [{ type: 'domain', value: 'news.example' }] }]
const entry = { url: 'https://ads.example/mcp', authorized_for: 'all', authorization_type: 'property_ids', property_ids: ['home'] }
const verdict: Verification = verifyAgentAuthorization({ properties, authorized_agents: [entry] }, 'https://ads.example/mcp')
const fetch: SafeFetch = createSafeFetch({ userAgent: 'test/1.0', mode: 'production' })
const path = judgeSupplyPath({
  ownerDomain: 'a.example', hostDomain: 'b.example', agentUrl: 'https://ads.example', ownerManifest: null, hostManifest: null, hostInventoryPartnerDomains: null,
})
console.log(verdict.authorized, typeof fetch, path.state)
`

let folder: string
let packages: readonly string[]
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'library-'))
  const out = join(folder, 'package')
  mkdirSync(out)
  packages = packLibrary(out)
  execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: out, ...BOUNDED })
  // What npm would install, from what is there: the library itself from its tarball, its dependencies as they are here.
  const installed = join(folder, 'project/node_modules/adcp-directory-client')
  mkdirSync(installed, { recursive: true })
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  execFileSync('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1'], BOUNDED)
  for (const name of [...packages, 'tldts-core', '@types/node', 'undici-types']) {
    const place = join(folder, 'project/node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(modules, name), place)
  }
  const project = (name: string, text: string) => writeFileSync(join(folder, 'project', name), text)
  project('package.json', '{"type":"module"}')
  project('program.ts', PROGRAM)
  const compilerOptions = {
    strict: true,
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
    outDir: 'out',
    skipLibCheck: false,
  }
  project('tsconfig.json', JSON.stringify({ compilerOptions, files: ['program.ts'] }))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('the package of the library needs undici and tldts and nothing else', () => {
  expect(packages).toEqual(['tldts', 'undici'])
})

it('compiles in a project of its own, its types included, and runs', () => {
  const project = join(folder, 'project')
  execFileSync(process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', project], BOUNDED)
  const output = execFileSync(process.execPath, [join(project, 'out/program.js')], { ...BOUNDED, encoding: 'utf8' })
  expect(output.trim()).toBe('true function unverified')
})

it('is a few files', () => {
  const installed = join(folder, 'project/node_modules/adcp-directory-client')
  const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.length).toBeLessThan(90)
})
