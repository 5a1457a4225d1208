import { type Finding, ok, warning } from './finding.ts'

const CHECK = 'backends'
const ADVICE =
  'name a real ad server in the configuration (adServer; docs/ad-servers.md) before production buyers rely on the answers'

/**
 * What the capabilities say of simulated backends (`ext.simulated_backends`). `tenants`: publishers with production buyers, where the store is
 * at hand.
 */
export function examineBackends(capabilities: unknown, tenants: readonly string[] | undefined): readonly Finding[] {
  const names = simulatedIn(capabilities)
  if (names.length === 0) return []
  const list = names.join(', ')
  if (tenants === undefined) return [warning(CHECK, `simulated behind this agent: ${list}`, ADVICE)]
  if (tenants.length === 0) return [ok(CHECK, `simulated: ${list}; only sandbox buyers use them`)]
  return [warning(CHECK, `production buyers of ${tenants.join(', ')} are served by simulated backends: ${list}`, ADVICE)]
}

function simulatedIn(capabilities: unknown): readonly string[] {
  const ext = member(capabilities, 'ext')
  const listed = member(ext, 'simulated_backends')
  if (!Array.isArray(listed)) return []
  return listed.slice(0, 20).flatMap((each) => {
    const name = member(each, 'name')
    return typeof name === 'string' ? [name.slice(0, 100)] : []
  })
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined
}
