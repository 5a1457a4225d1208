import { encodeCursor } from '../../domain/cursor.ts'
import { fileForm } from '../../domain/directory/file-form.ts'
import { mainType } from '../../domain/registry/present-agent.ts'
import type { Db } from '../../store/database.ts'
import { directoryId } from '../../store/directory/directory-agents.ts'
import { isRecording } from '../../store/directory/directory-feed.ts'
import { listOtherPropertyIds } from '../../store/directory/directory-identifiers.ts'
import { countInventory, pageAgentAuthorizations } from '../../store/directory/directory-snapshot.ts'
import { findShownClaim } from '../../store/directory/directory-sources.ts'
import { lastSequence } from '../../store/directory/registry-events.ts'
import { listAgentsOfDomain } from '../../store/registry/registry-agents.ts'
import { agentsAtHost, domainsOfAgent } from '../../store/registry/registry-lookups.ts'
import { presentAuthorizations } from '../directory/export.ts'
import { explain } from '../directory/why.ts'
import { type Arguments, agentOf, cursorAt, domainOf, numberOf, optionalText, positionIn } from './arguments.ts'
import type { RegistryDeps } from './deps.ts'
import { type Handlers, WithHeaders } from './operations.ts'
import { RegistryRefusal } from './refusal.ts'

/** Values of `evidence` (AdCP registry, authorizations). This index holds what files say, and no claim of an agent about itself. */
const EVIDENCE = ['adagents_json', 'adagents_authoritative', 'agent_claim', 'community', 'override']
/** Agents of one operator, and publishers of each, that an answer names: official clients read 256 KB of it. */
const MOST_AGENTS = 20
const MOST_PUBLISHERS = 100
/** Properties that an answer names as not authorised. */
const MOST_UNAUTHORIZED = 1_000

/** The public registry's answers about authorisations, as far as this index knows them. Source: AdCP registry, openapi/registry.yaml. */
export function authorizationOperations({ store, clock }: RegistryDeps): Handlers {
  const db = store.read
  return {
    getAgentAuthorizations: (args) => authorizationsOf(db, args),
    getPublisherAuthorization: (args) =>
      authorizationBy(db, { publisher: domainOf(args, 'domain'), agent: agentOf(args, 'agent') }, clock()),
    async lookupOperator(args) {
      const domain = domainOf(args, 'domain')
      // Every agent of this registry is public; `member` is the public ones and more.
      const agents = args.scope === 'private' ? [] : await agentsOf(db, domain)
      const shown = agents.map(async ({ agent_id, agent_url: url, name, types }) => {
        const publishers = await domainsOfAgent(db, url, '', MOST_PUBLISHERS)
        return {
          url,
          name: name ?? domain,
          type: mainType(JSON.parse(types)),
          authorized_by: publishers.map((publisher_domain) => ({ publisher_domain, source: 'adagents_json' })),
          authorized_by_count: (await countInventory(db, agent_id)).publishers,
        }
      })
      return { domain, member: null, agents: await Promise.all(shown) }
    },
  }
}

/** Agents that are registered under a domain, then those at it that publishers authorise and nobody registered: of these no name and no type is known. */
async function agentsOf(db: Db, domain: string) {
  const registered = await listAgentsOfDomain(db, domain, MOST_AGENTS)
  const known = new Set(registered.map(({ agent_id: id }) => id))
  const authorized = (await agentsAtHost(db, domain, MOST_AGENTS)).filter(({ agent_id: id }) => !known.has(id))
  return [...registered, ...authorized.map((agent) => ({ ...agent, name: null, types: '[]' }))].slice(0, MOST_AGENTS)
}

/** A page of the rows of one agent. With a feed the answer names the place in it from which changes follow. */
async function authorizationsOf(db: Db, args: Arguments): Promise<object> {
  const agent = agentOf(args, 'agent_url')
  const evidence = requireEvidence(args)
  const query = ['authorizations', agent, evidence.join(',')]
  const limit = numberOf(args, 'limit')
  const [after = ''] = positionIn(args, query)
  // Before the reading: what is committed meanwhile comes again in the feed.
  const sync = (await isRecording(db)) ? encodeCursor(['feed'], String(await lastSequence(db))) : undefined
  const isHeld = evidence.includes('adagents_json')
  const found = isHeld ? await pageAgentAuthorizations(db, { agentId: directoryId(agent), after, limit }) : undefined
  const rows = presentAuthorizations(agent, found?.rows ?? [])
  const last = found?.isCut ? found.rows.at(-1) : undefined
  const next_cursor = last ? cursorAt(query, last.publisher_domain) : null
  const body = { agent_url: agent, evidence, include: 'effective', rows, count: rows.length, next_cursor }
  if (sync === undefined) return body
  return new WithHeaders(body, { 'X-Sync-Cursor': sync, 'Access-Control-Expose-Headers': 'ETag, X-Sync-Cursor' })
}

/** What one agent may sell of one publisher. Throws a refusal 404, with the reasons, where lookups show no authorisation. */
async function authorizationBy(
  db: Db,
  { publisher, agent }: { readonly publisher: string; readonly agent: string },
  now: Date,
): Promise<object> {
  const claim = await findShownClaim(db, { agentId: directoryId(agent), publisher })
  if (claim?.status !== 'authorized') {
    const { not_listed_because: reasons, answered } = await explain(db, publisher, now, agent)
    const why = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`
    const about = { domain: publisher, agent_url: agent, answered }
    if (answered) throw new RegistryRefusal(404, 'not_authorized', `${publisher} does not authorise ${agent}${why}`, about)
    throw new RegistryRefusal(
      404,
      'authorization_unknown',
      `it is not known whether ${publisher} authorises ${agent}${why}`,
      about,
    )
  }
  const implied = claim.discovery_method === 'direct' || claim.discovery_method === 'authoritative_location'
  const authorized = new Set<string>(JSON.parse(claim.property_ids))
  const declared = { documentId: claim.document_id, publisher, implied }
  const others = await listOtherPropertyIds(db, declared, authorized, MOST_UNAUTHORIZED)
  return {
    publisher_domain: publisher,
    agent_url: agent,
    authorized: claim.properties_authorized,
    total: claim.properties_total,
    // The index holds every right by property, those of a file that grants all of them too.
    publisher_wide: false,
    source: 'adagents_json',
    unauthorized_properties: others.map((id) => ({ id })),
    discovery_method: claim.discovery_method,
    manager_domain: claim.manager_domain,
    file_form: fileForm(claim),
    last_verified_at: claim.verified_at,
  }
}

/** The export has what files say, and nothing else. Throws a refusal for a request of other rows. */
export function requireExported(args: Arguments): void {
  if (requireEvidence(args).includes('adagents_json')) return
  throw new RegistryRefusal(
    400,
    'evidence_not_held',
    'this directory holds evidence=adagents_json alone: ask for it, or leave evidence out',
  )
}

/** The kinds of evidence that are asked for. Throws a refusal for one that the registry does not know, and for rows without overrides. */
function requireEvidence(args: Arguments): readonly string[] {
  if (args.include === 'raw') {
    throw new RegistryRefusal(403, 'raw_not_offered', 'include=raw is not offered: ask for effective rows, or leave include out')
  }
  const given = (optionalText(args, 'evidence') ?? '').split(',').flatMap((word) => word.trim() || [])
  const unknown = given.find((word) => !EVIDENCE.includes(word))
  if (unknown !== undefined) {
    throw new RegistryRefusal(400, 'invalid_evidence', `evidence takes ${EVIDENCE.join(', ')}, separated by commas`)
  }
  return given.length > 0 ? [...new Set(given)] : ['adagents_json']
}
