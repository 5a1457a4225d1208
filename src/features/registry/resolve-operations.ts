import { agentKey } from '../../domain/directory/agent-url.ts'
import { heldRevocations } from '../directory/held-revocations.ts'
import { checkSupplyPath } from '../directory/supply-path.ts'
import { type Arguments, agentOf, domainOf, isTrue, optionalText, requireDomain, textOf } from './arguments.ts'
import type { RegistryDeps } from './deps.ts'
import type { Handlers } from './operations.ts'
import type { OutboundGate } from './outbound-gate.ts'
import { probeAgent } from './probe.ts'
import { notAnAgent, RegistryRefusal } from './refusal.ts'
import { createEntityResolver, type Resolved } from './resolve-entities.ts'
import { judgeDomain } from './validate-adagents.ts'

/** Operations that ask publishers, brands and agents themselves. */
export function resolveOperations(deps: RegistryDeps, gate: OutboundGate): Handlers {
  const entities = createEntityResolver(deps, gate)
  const validate = async (args: Arguments, caller: string) => {
    const domain = domainOf(args, 'domain')
    const verdict = await gate(caller, () =>
      judgeDomain(domain, { fetch: deps.fetch, check: deps.checkAdagents, now: deps.clock().getTime() }),
    )
    return {
      domain,
      url: verdict.url,
      found: verdict.found,
      answered: verdict.answered,
      valid: verdict.valid,
      errors: verdict.errors,
      warnings: verdict.warnings,
      ...(verdict.method !== undefined && { discovery_method: verdict.method, manager_domain: verdict.manager }),
      authorized_agent_count: verdict.agents,
      property_count: verdict.properties,
    }
  }
  return {
    async resolveBrand(args, caller) {
      const domain = domainOf(args, 'domain')
      const options = { brandId: optionalText(args, 'brand_id'), fresh: isTrue(args, 'fresh') }
      return found(domain, 'brand.json', await entities.brand(domain, caller, options))
    },
    resolveBrands: (args, caller) =>
      bulk(args, async (domain) => (await entities.brand(domain, caller, { fresh: false })).found ?? null),
    async resolveProperty(args, caller) {
      const domain = domainOf(args, 'domain')
      return found(domain, 'adagents.json', await entities.property(domain, caller))
    },
    resolveProperties: (args, caller) => bulk(args, async (domain) => (await entities.property(domain, caller)).found ?? null),
    validateAdagents: validate,
    validatePublisher: validate,
    async verifySupplyPath(args, caller) {
      const asked = {
        ownerDomain: domainOf(args, 'owner_domain'),
        hostDomain: domainOf(args, 'host_domain'),
        agentUrl: agentOf(args, 'agent_url'),
        collectionId: optionalText(args, 'collection_id'),
      }
      const held = await heldRevocations(deps.store.read, asked, deps.clock())
      return gate(caller, () => checkSupplyPath(asked, { fetch: deps.fetch, held }))
    },
    async discoverAgent(args, caller) {
      const url = textOf(args, 'url')
      const agentUrl = agentKey(url)
      if (agentUrl === undefined) throw new RegistryRefusal(400, 'invalid_url', 'url must be an absolute http(s) URL')
      const probe = await gate(caller, () => probeAgent(deps, url))
      if (!probe.ok) throw notAnAgent(agentUrl, probe.reason)
      const { name, types, capabilities, channels } = probe.profile
      return { agent_url: agentUrl, name: name ?? null, types, capabilities, channels, response_time_ms: probe.responseMs }
    },
  }
}

function found(domain: string, file: string, resolved: Resolved): object {
  if (resolved.found) return resolved.found
  const words = { not_found: 'has none', unreachable: 'cannot be read', malformed: 'is none' }[resolved.status]
  throw new RegistryRefusal(404, 'not_found', `nothing is known of ${domain}: its ${file} ${words}`, {
    domain,
    file_status: resolved.status,
  })
}

/** Answers by the names that were given; the gate decides how many are looked up at once. */
async function bulk(args: Arguments, resolve: (domain: string) => Promise<object | null>): Promise<object> {
  const given = Array.isArray(args.domains) ? args.domains.map(String) : []
  const domains = given.map((domain) => [domain, requireDomain(domain, 'domains')] as const)
  const answers = new Map([...new Set(domains.map(([, domain]) => domain))].map((domain) => [domain, resolve(domain)]))
  const results: Record<string, object | null> = {}
  // Every one of them is awaited, also when one fails, so that none is left without somebody to hear of it.
  await Promise.allSettled(answers.values())
  for (const [name, domain] of domains) results[name] = (await answers.get(domain)) ?? null
  return { results }
}
