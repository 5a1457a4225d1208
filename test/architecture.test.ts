import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isKnownCode } from '../src/errors.ts'
import { manifest } from '../src/protocol/manifest.ts'
import { schemaPathsOf } from '../src/protocol/schemas.ts'
import { TASKS } from '../src/tasks/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const src = join(root, 'src')

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const text = readFileSync(path, 'utf8')
    return { path: relative(src, path), text, imports: importsOf(path, text) }
  })

/** Specifiers of imports and re-exports, of modules that are loaded later too; `typeOnly` ones vanish from the program. */
function importsOf(path: string, text: string): { target: string; typeOnly: boolean }[] {
  const atOnce = [...text.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm)]
  const later = [...text.matchAll(/\b(typeof )?import\('([^']+)'\)/g)]
  return [...atOnce, ...later].map(([, typeOnly, specifier = '']) => ({
    target: specifier.startsWith('.') ? relative(src, resolve(dirname(path), specifier)) : specifier,
    typeOnly: typeOnly !== undefined,
  }))
}

const inFolder = (path: string, ...folders: string[]) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`))

/** Values that a folder or file may import at run time, beside itself. Types may come from anywhere below the doors. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'errors.ts': ['protocol/manifest.ts'],
  'config-file.ts': [],
  'config-settings.ts': ['protocol/schemas.ts'],
  'config.ts': ['config-file.ts', 'config-settings.ts', 'protocol/schemas.ts', 'tracing/environment.ts'],
  'shown-config.ts': ['store/database-url.ts'],
  'log.ts': [],
  'version.ts': [],
  domain: ['errors.ts', 'protocol/manifest.ts', 'protocol/envelope-members.ts'],
  protocol: ['errors.ts'],
  signing: ['errors.ts', 'domain', 'store/signing-keys.ts'],
  store: ['domain', 'errors.ts', 'auth/principals.ts', 'auth/failure-memory.ts', 'signing/replay-store.ts'],
  secrets: [],
  net: ['errors.ts', 'domain'],
  adapters: ['domain', 'errors.ts'],
  auth: ['store', 'signing', 'errors.ts', 'domain', 'net'],
  directory: ['domain', 'store', 'net', 'brand/resolve-brand.ts', 'auth/key-documents.ts', 'errors.ts'],
  webhooks: ['domain', 'store', 'signing', 'net', 'secrets', 'protocol/manifest.ts', 'errors.ts'],
  governance: ['domain', 'store', 'signing', 'net', 'secrets/secret-box.ts', 'auth/key-documents.ts', 'errors.ts'],
  brand: ['domain', 'store', 'adapters', 'secrets'],
  catalogs: ['domain', 'store', 'net', 'webhooks/ticker.ts', 'errors.ts'],
  registry: ['domain', 'store', 'net', 'directory', 'protocol', 'webhooks/ticker.ts', 'config.ts', 'errors.ts'],
  oauth: ['store', 'secrets/secret-box.ts', 'auth/identity-provider.ts', 'webhooks/ticker.ts', 'config.ts', 'errors.ts'],
  audit: ['domain', 'store', 'webhooks/ticker.ts'],
  metrics: ['store/backlog.ts'],
  tracing: ['errors.ts', 'version.ts'],
  doctor: ['auth', 'net', 'signing'],
  tasks: [
    'domain',
    'store',
    'adapters',
    'directory',
    'governance/governance.ts',
    'pipeline/task.ts',
    'pipeline/mutating.ts',
    'protocol',
    'errors.ts',
  ],
  pipeline: ['domain', 'store', 'auth', 'protocol', 'errors.ts'],
  doors: [
    'pipeline',
    'tasks',
    'domain',
    'store',
    'protocol',
    'errors.ts',
    'net/client-address.ts',
    'net/peer.ts',
    'directory/kept-lookups.ts',
    'directory/lookup.ts',
    'directory/page-cache.ts',
    'registry/refusal.ts',
    'oauth/pages.ts',
    'oauth/paths.ts',
    'oauth/scopes.ts',
    'auth',
  ],
}

/** What puts the others together, and may import any of them. */
const COMPOSE = ['app.ts', 'compose-services.ts', 'routes.ts', 'start-server.ts', 'workers.ts', 'main.ts', 'index.ts', 'cli']

describe('architecture', () => {
  it.each(Object.entries(MAY_IMPORT))('%s imports only what lies below it', (folder, allowed) => {
    const wrong = files
      .filter((file) => inFolder(file.path, folder))
      .flatMap((file) =>
        file.imports
          .filter(({ target, typeOnly }) => !typeOnly && target.endsWith('.ts') && !inFolder(target, folder, ...allowed))
          .map(({ target }) => `${file.path} → ${target}`),
      )
    expect(wrong).toEqual([])
  })

  it('every folder and file has its place', () => {
    const places = new Set(files.map(({ path }) => path.split('/')[0]))
    expect([...places].sort()).toEqual([...Object.keys(MAY_IMPORT), ...COMPOSE].sort())
  })

  it('nothing below imports what puts it together', () => {
    const above = [...COMPOSE, 'doors', 'doctor']
    const wrong = files
      .filter((file) => !inFolder(file.path, ...above))
      .flatMap((file) =>
        file.imports.filter(({ target }) => inFolder(target, ...above)).map(({ target }) => `${file.path} → ${target}`),
      )
    expect(wrong).toEqual([])
  })

  it.each([
    ['jose', ['auth', 'signing']],
    ['ajv', ['protocol/schemas.ts']],
    ['@modelcontextprotocol/', ['doors/mcp']],
    ['a2a', ['doors/a2a']],
    ['better-sqlite3', ['store/sqlite.ts', 'store/sqlite-bulk.ts']],
    ['pg', ['store/postgres.ts', 'store/postgres-pool.ts']],
    ['commander', ['cli']],
    ['oidc-provider', ['oauth']],
    ['fast-xml-parser', ['domain/catalog/read-xml.ts']],
    ['prom-client', ['metrics', 'workers.ts']],
    ['@opentelemetry/', ['tracing']],
    ['kysely', ['store']],
    ['undici', ['net']],
    ['ipaddr.js', ['net']],
    ['pino', ['log.ts']],
  ])('only its home imports %s', (library, homes) => {
    const matches = (target: string) => target === library || target.startsWith(library.endsWith('/') ? library : `${library}/`)
    const wrong = files.filter(
      (file) => !inFolder(file.path, ...homes) && file.imports.some(({ target, typeOnly }) => !typeOnly && matches(target)),
    )
    expect(wrong.map((file) => file.path)).toEqual([])
  })

  it('the running server loads no code of the SDK', () => {
    const wrong = files.filter((file) => file.imports.some(({ target, typeOnly }) => !typeOnly && target.startsWith('@adcp/sdk')))
    expect(wrong.map((file) => file.path)).toEqual([])
  })

  it('only config.ts reads the environment', () => {
    const wrong = files.filter((file) => file.path !== 'config.ts' && /process\.env\b/.test(file.text))
    expect(wrong.map((file) => file.path)).toEqual([])
  })

  it('domain has no clock and no chance', () => {
    const wrong = files.filter(
      (file) =>
        inFolder(file.path, 'domain') && /\bDate\.now\(|new Date\(\)|Math\.random\(|randomUUID|setTimeout/.test(file.text),
    )
    expect(wrong.map((file) => file.path)).toEqual([])
  })

  it('no module keeps mutable state', () => {
    const wrong = files.flatMap((file) =>
      [
        ...file.text.matchAll(
          /^(?:export )?(?:let|var) .*$|^(?:export )?const \w+(?:: (?:Map|Set|Array)\b[^=]*)? = (?:new (?:Map|Set|WeakMap)(?:<[^>]*>)?\(\)|\[\]|\{\}).*$/gm,
        ),
      ].map(([line]) => `${file.path}: ${line}`),
    )
    expect(wrong).toEqual([])
  })

  it('every task has its schemas, its file and its test', () => {
    const problems = TASKS.flatMap((task) => {
      const kebab = task.name.replaceAll('_', '-')
      const file = files.find((each) => each.path.startsWith('tasks/') && each.path.endsWith(`/${kebab}.ts`))
      const tested = file && existsSync(join(root, 'test', file.path.replace(/\.ts$/, '.test.ts')))
      return [
        ...(schemaPathsOf(task.name) ? [] : [`${task.name} has no schemas`]),
        ...(file ? [] : [`${task.name} has no file ${kebab}.ts`]),
        ...(tested ? [] : [`${task.name} has no test`]),
      ]
    })
    expect(problems).toEqual([])
  })

  it('every task file is a registered task, once', () => {
    const names = TASKS.map((task) => task.name)
    expect(new Set(names).size).toBe(names.length)
    for (const file of files.filter((each) => each.path.startsWith('tasks/') && each.text.includes('defineTask<'))) {
      const name = /name: '([a-z_]+)'/.exec(file.text)?.[1]
      expect(names, file.path).toContain(name)
    }
  })

  it('every tool of the manifest that is registered lies under the folder of its schema', () => {
    const wrong = TASKS.filter((task) => manifest.tools[task.name] && task.name !== 'comply_test_controller').filter((task) => {
      const folder = dirname(manifest.tools[task.name]?.request_schema ?? '')
      return !existsSync(join(src, 'tasks', folder, `${task.name.replaceAll('_', '-')}.ts`))
    })
    expect(wrong.map((task) => task.name)).toEqual([])
  })

  it('every error code is one of the catalogue', () => {
    const wrong = files.flatMap((file) =>
      [...file.text.matchAll(/new AdcpError\(\s*'([A-Z_]+)'/g)].map(([, code = '']) => code).filter((code) => !isKnownCode(code)),
    )
    expect(wrong).toEqual([])
  })
})
