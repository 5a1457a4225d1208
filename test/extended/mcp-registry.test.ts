import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, it } from 'vitest'
import { registryEntry, serverCard } from '../../src/domain/identity/server-entry.ts'
import { VERSION } from '../../src/platform/version.ts'

/** The registry itself, a module of Go, which has the schemas that it checks entries by. */
const REGISTRY = 'github.com/modelcontextprotocol/registry@v1.8.9'
const SCHEMAS = 'internal/validators/schemas'

/** Schemas of the registry by their $id; the reason as text where they cannot be had. */
function registrySchemas(): ReadonlyMap<string, object> | string {
  try {
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
    const said = execFileSync('go', ['mod', 'download', '-json', REGISTRY], { encoding: 'utf8', timeout: 120_000, stdio })
    const folder = join((JSON.parse(said) as { Dir: string }).Dir, SCHEMAS)
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    const schemas = names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { $id: string })
    return new Map(schemas.map((schema) => [schema.$id, schema]))
  } catch (error) {
    return `the schemas of the MCP registry cannot be had (go mod download): ${error instanceof Error ? error.message.split('\n')[0] : error}`
  }
}

const schemas = registrySchemas()
// biome-ignore lint/suspicious/noConsole: a skipped test says why
if (typeof schemas === 'string') console.log(schemas)

const FACTS = [
  { origin: 'https://ads.example.com', path: '/mcp', publisherName: 'Example News', version: VERSION },
  { origin: 'https://ads.example.com', path: '/t/acme/mcp', tenantId: 'acme', publisherName: 'Acme', version: VERSION },
  { origin: 'https://xn--bcher-kva.example', path: '/mcp', publisherName: '🗞'.repeat(200), version: VERSION },
]

describe.skipIf(typeof schemas === 'string')('the entry for the MCP registry (skipped without Go)', () => {
  const validatorOf = ($schema: string) => {
    const schema = typeof schemas === 'string' ? undefined : schemas.get($schema)
    if (schema === undefined) throw new Error(`the registry has no schema ${$schema}`)
    const ajv = new Ajv({ strict: false })
    addFormats.default(ajv)
    return ajv.compile(schema)
  }

  it.each(FACTS)('is valid by the schema that it names: $path of $origin', (facts) => {
    const entry = registryEntry(facts) as { $schema: string; name: string }
    const validate = validatorOf(entry.$schema)
    expect(validate(entry), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ ...entry, name: 'no namespace' })).toBe(false)
    expect(validate({ ...entry, description: 'x'.repeat(101) })).toBe(false)
  })

  it('names the newest schema of the registry', () => {
    const newest = typeof schemas === 'string' ? undefined : [...schemas.keys()].sort().at(-1)
    expect(registryEntry(FACTS[0]!)).toMatchObject({ $schema: newest })
  })

  it('has the same facts as the server card', () => {
    const { $schema: _, ...entry } = registryEntry(FACTS[0]!) as Record<string, unknown>
    expect(serverCard(FACTS[0]!, ['2026-07-28'])).toMatchObject(entry)
  })
})
