import { callTool } from '../../platform/net/call-tool.ts'
import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import { isObject } from '../../protocol/is-object.ts'

/** What an agent is asked about a creative. */
export interface ClaimQuestion {
  /** Of `accepted_verifiers`, never an address of a buyer's alone. */
  readonly agentUrl: string
  readonly featureId: string
  /** A creative manifest (AdCP core/creative-manifest.json). */
  readonly manifest: object
}

/** What it found. */
export interface Observation {
  readonly value: boolean
  /** 0 to 1. */
  readonly confidence: number
}

/** Asks a governance agent for one feature of a creative; undefined where it gives no usable answer. Uses the network: never inside a transaction. */
export type ClaimVerifier = (question: ClaimQuestion) => Promise<Observation | undefined>

/** The buyer's own call waits for this. */
const POLICY: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 256 * 1024,
  connectMs: 2_000,
  readMs: 4_000,
  totalMs: 5_000,
  contentTypes: undefined,
}

/** The verifier that calls `get_creative_features` over MCP, without credentials. An agent that does not answer, or not of that feature, found nothing. */
export function createClaimVerifier(safeFetch: SafeFetch): ClaimVerifier {
  return async ({ agentUrl, featureId, manifest }) => {
    const request = { creative_manifest: manifest, feature_ids: [featureId] }
    const asked = callTool(safeFetch, { url: agentUrl, tool: 'get_creative_features', arguments: request, policy: POLICY })
    const answer = await asked.catch(() => undefined)
    return answer && !answer.isError ? observationIn(answer.payload, featureId) : undefined
  }
}

function observationIn(payload: unknown, featureId: string): Observation | undefined {
  const results: unknown = isObject(payload) ? payload.results : undefined
  const own: unknown = Array.isArray(results)
    ? results.find((each: unknown) => isObject(each) && each.feature_id === featureId)
    : undefined
  if (!isObject(own) || typeof own.value !== 'boolean') return undefined
  const { value, confidence } = own
  return typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? { value, confidence } : undefined
}
