import { SignatureFault } from '../signing/challenge.ts'
import { readJwks } from '../signing/jwk.ts'
import { type KeySource, keysOfAgents, registeredKeys } from '../signing/keys.ts'
import { type FetchDocument, remoteKeys } from '../signing/remote-keys.ts'

/** Where the keys of one registered agent come from. */
export interface AgentKeySource {
  readonly agentUrl: string
  readonly kind: 'jwks' | 'jwks_uri' | 'brand_json'
  /** JWKS document, address of one, or nothing for the chain. */
  readonly value: string
}

export interface AgentKeysOptions {
  /** Registered sources of active agents. */
  readonly listSources: () => Promise<readonly AgentKeySource[]>
  readonly fetchDocument: FetchDocument
  /** Walks from an agent's URL to its key set (see `jwksUriOf`). */
  readonly walkChain: (agentUrl: string) => Promise<string>
}

/** Registering or removing an agent takes effect within this time. */
const REREAD_SECONDS = 15

/**
 * Keys of all registered agents. Only registered agents count: a key found anywhere else proves nothing. What was fetched is
 * kept for each source while the source stays registered.
 */
export function agentKeys(options: AgentKeysOptions): KeySource {
  let sources: ReadonlyMap<string, KeySource> = new Map()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function reread(nowSeconds: number): Promise<void> {
    const registered = await options.listSources()
    sources = new Map(
      registered.map((source) => {
        const id = JSON.stringify([source.agentUrl, source.kind, source.value])
        return [id, sources.get(id) ?? open(source, options)]
      }),
    )
    readAt = nowSeconds
  }

  const all = keysOfAgents(() => [...sources.values()])
  return {
    async find(keyid, nowSeconds) {
      if (nowSeconds - readAt >= REREAD_SECONDS) {
        reading ??= reread(nowSeconds).finally(() => {
          reading = undefined
        })
        await reading
      }
      return all.find(keyid, nowSeconds)
    },
  }
}

function open({ agentUrl, kind, value }: AgentKeySource, { fetchDocument, walkChain }: AgentKeysOptions): KeySource {
  if (kind === 'jwks_uri') return remoteKeys(agentUrl, async () => value, fetchDocument)
  if (kind === 'brand_json') return remoteKeys(agentUrl, () => walkChain(agentUrl), fetchDocument)
  const jwks = readJwks(parsed(value))
  if (jwks) return registeredKeys(agentUrl, jwks)
  return {
    find: async () => {
      throw new SignatureFault('signature_key_unknown', 'registered JWKS is unreadable')
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
