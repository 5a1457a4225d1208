import type { AgentKeySource } from '../../domain/identity/agent-key-source.ts'
import { KEY_SOURCE_KINDS } from '../../domain/identity/agent-key-source.ts'
import { foreignJsonIn } from '../../platform/decode/foreign-json.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/nearest-name.ts'
import { sealAddress } from '../../security/secrets/sealed-address.ts'
import { keyThumbprint, readJwks } from '../../security/signing/jwk.ts'
import type { Db } from '../../store/database.ts'
import {
  addAgentKeySource,
  agentKeySourcesOf,
  keyDocumentsOfOthers,
  listAgentKeySources,
  removeAgentKeySource,
} from '../../store/identity/agent-key-sources.ts'
import { keySourcePlace } from '../../store/identity/key-addresses.ts'
import { addPrincipal, findPrincipal } from '../../store/identity/principals.ts'
import { defineAct, type Watching } from '../act.ts'
import { concealed } from '../changed-members.ts'
import { flag, object, text, type Values } from '../fields.ts'
import { requireHttpsUrl } from '../https-url.ts'
import { BUYER, NEW_BUYER, namedBuyer } from '../named-buyer.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { readScopes, SCOPES } from '../scopes.ts'
import { object as answer, boolean, list, orNull, pageOf, string, word } from '../shape.ts'
import { domainText } from '../text-form.ts'
import { agentUrlOf } from './agent-url.ts'

// Several acts in one file: they list, change and remove the same thing.

const PLACES = {
  jwks: object('its public keys as a JWKS document'),
  jwks_uri: text('the address of its JWKS'),
  brand_domain: domainText('the domain whose /.well-known/brand.json lists its agent'),
  discover: flag('ask its agent for the brand.json'),
}

/** Registers where the public keys of a buyer that signs are; makes the buyer when it is new. Throws INVALID_REQUEST. */
export const addSigningKeys = defineAct({
  name: 'buyers.add-signing-keys',
  route: 'PUT /buyers/{buyer}/signing-keys',
  id: 'addBuyerSigningKeys',
  roles: ADMINISTRATORS,
  summary: 'Registers where the public keys of a buyer that signs are; makes the buyer when it is new.',
  fields: {
    buyer: NEW_BUYER,
    url: text('the address of its agent (for a new buyer)'),
    ...PLACES,
    scopes: SCOPES,
    signing_required: flag('a new buyer may change nothing unsigned'),
  },
  answer: answer({ buyer: string, agent_url: orNull(string), kind: word(...KEY_SOURCE_KINDS) }),
  command: {
    words: 'buyers signing-keys add',
    files: ['jwks'],
    text: ({ buyer, agent_url: url }) => [`${buyer} may sign as ${url}; a running server knows within 15 seconds`],
    json: ({ buyer, ...rest }, _, tenant) => ({ tenant, ...namedBuyer(buyer), ...rest }),
  },
  watch: watchedKeys,
  async run(
    { store, tenantId, clock, services, config },
    { buyer, url, scopes, signing_required: signingRequired = false, ...places },
  ) {
    const source = sourceOf(places)
    const box = await services.webhookBox()
    const address = source.kind === 'jwks_uri' ? sealAddress(box, source.value, keySourcePlace(tenantId, buyer)) : undefined
    const stored = { kind: source.kind, value: address?.url ?? source.value, query: address?.query }
    const allowed = await readScopes(scopes)
    const agentUrl = await store.transaction(async (tx) => {
      const now = clock()
      const named = url === undefined ? undefined : agentUrlOf(url, 'url', config)
      const fresh = { tenantId, name: buyer, agentUrl: named, sandbox: false, signingRequired, scopes: allowed }
      const known = await findPrincipal(tx, tenantId, buyer)
      const row = known ?? (await addPrincipal(tx, { ...fresh, principalId: buyer }, now))
      if (named !== undefined && row.agent_url !== named) {
        const message = `${buyer} has another agent URL: ${row.agent_url ?? 'none'}`
        throw new AdcpError('INVALID_REQUEST', message, { field: 'url' })
      }
      if (source.kind === 'jwks') await requireOwnKeys(tx, source.value, row.agent_url)
      await addAgentKeySource(tx, { tenantId, principalId: buyer, ...stored }, now)
      return row.agent_url
    })
    return { buyer, agent_url: agentUrl, kind: source.kind }
  },
})

/** Where the keys of a buyer are, for the audit log. */
async function watchedKeys(tx: Db, { tenantId }: Watching, { buyer }: { readonly buyer: string }) {
  const sources = await agentKeySourcesOf(tx, { tenantId, principalId: buyer })
  const query = concealed(sources.find((each) => each.query !== null)?.query ?? undefined)
  // Another key may come under the id of the one that was there.
  const keys = concealed(sources.find(({ kind }) => kind === 'jwks')?.value)
  const where = Object.fromEntries(sources.map(({ kind, value }) => [kind, whereKeysAre(kind, value)]))
  return { ...where, jwks_keys: keys, jwks_query: query }
}

/** Buyers that sign, and where their keys are. */
export const listSigningAgents = defineAct({
  name: 'buyers.list-signing-keys',
  route: 'GET /deployment/signing-agents',
  id: 'listSigningAgents',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Buyers that sign, and where their public keys are.',
  fields: {},
  answer: pageOf(answer({ agent_url: string, kind: word(...KEY_SOURCE_KINDS), where: string })),
  command: {
    words: 'buyers signing-keys list',
    columns: [
      ['AGENT URL', (row) => row.agent_url],
      ['KEYS FROM', ({ kind }) => kind],
      ['WHERE', ({ where }) => where],
    ],
  },
  async run({ store }) {
    const sources = await listAgentKeySources(store.read)
    return list(
      sources.map(({ agentUrl, kind, value }) => {
        return { agent_url: agentUrl, kind, where: whereKeysAre(kind, value) }
      }),
    )
  },
})

/** A source of keys in words: the ids of the keys themselves, or the address that they are read from. */
function whereKeysAre(kind: (typeof KEY_SOURCE_KINDS)[number], value: string): string {
  if (kind !== 'jwks') return value === '' ? 'its capabilities' : value
  return (readJwks(foreignJsonIn(value)) ?? []).map(({ kid }) => kid).join(', ')
}

/** Forgets the public keys of a buyer, whatever their source. Throws REFERENCE_NOT_FOUND when there are none. */
export const removeSigningKeys = defineAct({
  name: 'buyers.remove-signing-keys',
  route: 'DELETE /buyers/{buyer}/signing-keys',
  id: 'removeBuyerSigningKeys',
  roles: ADMINISTRATORS,
  summary: 'Removes the public keys of a buyer.',
  fields: { buyer: BUYER },
  answer: answer({ buyer: string, removed: boolean }),
  command: {
    words: 'buyers signing-keys remove',
    text: ({ buyer }) => [`the keys of ${buyer} are forgotten`],
    json: ({ buyer }, _, tenant) => ({ tenant, ...namedBuyer(buyer), removed: true }),
  },
  watch: watchedKeys,
  async run({ store, tenantId }, { buyer }) {
    await store.transaction(async (tx) => {
      let isRemoved = false
      for (const kind of KEY_SOURCE_KINDS) isRemoved = (await removeAgentKeySource(tx, tenantId, buyer, kind)) || isRemoved
      if (!isRemoved)
        throw new AdcpError('REFERENCE_NOT_FOUND', `there are no signing keys of a buyer ${quoted(buyer)}`, { field: 'buyer' })
    })
    return { buyer, removed: true }
  },
})

function sourceOf({
  jwks,
  jwks_uri: jwksUri,
  brand_domain: brandDomain,
  discover,
}: Values<typeof PLACES>): Pick<AgentKeySource, 'kind' | 'value'> {
  const given: Pick<AgentKeySource, 'kind' | 'value'>[] = [
    ...(jwks === undefined ? [] : [{ kind: 'jwks' as const, value: publicKeysIn(jwks) }]),
    ...(jwksUri === undefined ? [] : [{ kind: 'jwks_uri' as const, value: requireHttpsUrl(jwksUri, 'jwks_uri') }]),
    ...(brandDomain === undefined ? [] : [{ kind: 'brand_json' as const, value: requireDomain(brandDomain) }]),
    ...(discover ? [{ kind: 'brand_json' as const, value: '' }] : []),
  ]
  const [source, ...others] = given
  if (source && others.length === 0) return source
  throw new AdcpError('INVALID_REQUEST', `say where the keys are: one of ${Object.keys(PLACES).join(', ')}`)
}

/** Public members only, so that a private key in the document never reaches the store. */
function publicKeysIn(document: unknown): string {
  const keys = readJwks(document)
  if (!keys?.some((key) => key.adcp_use === 'request-signing'))
    throw new AdcpError('INVALID_REQUEST', `jwks holds no key with "adcp_use": "request-signing"`, { field: 'jwks' })
  return JSON.stringify({ keys })
}

/** Throws INVALID_REQUEST for a key that another agent signs with: its signatures would be of both. Whose it is stays unsaid. */
async function requireOwnKeys(tx: Db, jwks: string, agentUrl: string | null): Promise<void> {
  const own = new Map((readJwks(foreignJsonIn(jwks)) ?? []).map((key) => [keyThumbprint(key), key.kid]))
  for (const document of await keyDocumentsOfOthers(tx, agentUrl ?? '')) {
    const taken = readJwks(foreignJsonIn(document))?.find((key) => own.has(keyThumbprint(key)))
    if (!taken) continue
    const message = `jwks: the key ${quoted(own.get(keyThumbprint(taken)) ?? '')} is registered for another buyer; each buyer signs with keys of its own`
    throw new AdcpError('INVALID_REQUEST', message, { field: 'jwks' })
  }
}

function requireDomain(text: string): string {
  if (/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(text)) return text
  throw new AdcpError('INVALID_REQUEST', `"${text}" is not a domain`, { field: 'brand_domain' })
}
