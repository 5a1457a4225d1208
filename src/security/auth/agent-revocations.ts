import type { AgentKeySource } from '../../domain/identity/agent-key-source.ts'
import { limitConcurrency } from '../../platform/concurrency/limit-concurrency.ts'
import { type PublishedJwk, readJwks } from '../signing/jwk.ts'
import type { FetchDocument } from '../signing/remote-keys.ts'
import type { RevocationSource } from '../signing/revocation.ts'
import { publishedRevocations } from '../signing/revocation-list.ts'
import type { AgentKeysOptions } from './agent-keys.ts'
import { registered } from './registered.ts'

const MAX_JWKS_BYTES = 64 * 1024
const MAX_CONCURRENT_FETCHES = 8
const MAX_WAITING_FETCHES = 256

/**
 * What agents say themselves of the keys that they took back: the list at the origin of their brand.json, or of the key set that the operator
 * registered (AdCP security page, transport revocation). An agent that publishes none is judged without; once a list was read it has to stay
 * readable. A key set that the operator registered as a document is the operator's to revoke.
 */
export function agentRevocations(
  options: AgentKeysOptions & { readonly parseJson: (body: Uint8Array) => unknown },
): RevocationSource {
  const limited = limitConcurrency(
    MAX_CONCURRENT_FETCHES,
    MAX_WAITING_FETCHES,
    () => new Error('too many revocation lists are being fetched'),
  )
  const fetchDocument: FetchDocument = (url, limits) => limited(() => options.fetchDocument(url, limits))
  const lists = registered(options.listSources, (source) => ({
    agentUrl: source.agentUrl,
    tenantIds: source.tenantIds,
    revocations: open(source, { ...options, fetchDocument }),
  }))
  return {
    async status(key, nowSeconds) {
      const known = lists.known(nowSeconds) ?? (await lists.list(nowSeconds))
      // As for keys: what a publisher registered for an agent says nothing of the keys that another one registered.
      const own = known.filter(
        ({ agentUrl, tenantIds, revocations }) =>
          revocations !== undefined &&
          agentUrl === key.agentUrl &&
          (key.tenantIds === undefined || key.tenantIds.some((id) => tenantIds.includes(id))),
      )
      const statuses = await Promise.all(own.map(({ revocations }) => revocations?.status(key, nowSeconds)))
      return statuses.find((status) => status === 'revoked') ?? statuses.find((status) => status === 'stale') ?? 'good'
    },
  }
}

function open(
  { agentUrl, kind, value }: AgentKeySource,
  { fetchDocument, walkChain, parseJson }: AgentKeysOptions & { readonly parseJson: (body: Uint8Array) => unknown },
): RevocationSource | undefined {
  if (kind === 'jwks') return undefined
  const publisher = kind === 'jwks_uri' ? value : value === '' ? agentUrl : `https://${value}`
  const { origin } = new URL(publisher)
  const keys = async (): Promise<readonly PublishedJwk[]> => {
    const jwksUri = kind === 'jwks_uri' ? value : await walkChain(agentUrl, value)
    const { status, body } = await fetchDocument(jwksUri, { maxBytes: MAX_JWKS_BYTES })
    if (status !== 200) throw new Error(`key set answers ${status}`)
    return readJwks(parseJson(body)) ?? []
  }
  const issuer = new URL(agentUrl).origin === origin ? agentUrl : origin
  return publishedRevocations(`${origin}/.well-known/governance-revocations.json`, issuer, keys, fetchDocument, {
    isOptional: true,
  })
}
