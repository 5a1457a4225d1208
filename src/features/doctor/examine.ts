import type { FetchPolicy } from '../../platform/net/fetch-policy.ts'
import { isPlainLoopback, registrableDomain } from '../../platform/net/fetch-policy.ts'
import type { SafeFetch } from '../../platform/net/safe-fetch.ts'
import type { Schemas } from '../../protocol/schemas.ts'
import { capabilitiesOf } from '../../security/auth/agent-capabilities.ts'
import { keyDocuments } from '../../security/auth/key-documents.ts'
import { jwksUriOf } from '../../security/signing/brand-chain.ts'
import { SignatureFault } from '../../security/signing/challenge.ts'
import { REQUEST_PROFILE } from '../../security/signing/profile.ts'
import { type Signer, signMessage } from '../../security/signing/sign.ts'
import { examineAuthorizationServers } from './authorization-servers.ts'
import { examineBackends } from './backends.ts'
import { examineConnection, examinePlainConnection } from './connection.ts'
import { type Finding, ok, problem, skipped, warning } from './finding.ts'
import { examineKeys } from './keys.ts'
import type { ProbeOptions } from './probe.ts'
import { signatureWords } from './words.ts'

/** With what an agent is examined. */
export interface Instruments {
  readonly safeFetch: SafeFetch
  readonly probe: ProbeOptions
  /** Development: an agent at a loopback address over plain HTTP is examined as far as that goes; `safeFetch` reaches it. */
  readonly plainLoopback?: boolean
  readonly schemas: Schemas
  readonly clock: () => Date
  /** Strict: throws on a repeated key. */
  readonly parseJson: (body: Uint8Array) => unknown
  /** The agent's own request-signing key, when its store is at hand. */
  readonly signer?: Signer | undefined
  /** Publishers with production buyers, when the store is at hand. */
  readonly productionTenants?: readonly string[] | undefined
  /** Ids of the keys that the store at hand publishes. */
  readonly ownKeys?: readonly string[] | undefined
}

/**
 * Walks from an agent's URL inwards as a buyer does: address → TLS and clock → capabilities → brand.json → agents[] → JWKS → OAuth metadata → a call
 * without credentials → a signed call to itself. What a broken link makes pointless is skipped. Never throws for what it finds.
 */
export async function examine(agentUrl: string, instruments: Instruments): Promise<readonly Finding[]> {
  const address = examineAddress(agentUrl, instruments)
  if (address.outcome === 'problem') return [address, skipped('connection', 'nothing behind this address was examined')]
  if (isHere(agentUrl, instruments)) return [address, ...(await examineHere(agentUrl, instruments))]
  const connection = await examineConnection(new URL(agentUrl), instruments)
  if (connection.some(({ check, outcome }) => check === 'connection' && outcome === 'problem')) return [address, ...connection]
  const chain = await examineChain(agentUrl, instruments)
  return [
    address,
    ...connection,
    ...chain,
    await examineAuthorizationServers(agentUrl, instruments),
    await examineRefusal(agentUrl, instruments),
    await examineSignedCall(agentUrl, instruments),
  ]
}

/** An agent on this machine over plain HTTP: everything but what needs https. */
async function examineHere(agentUrl: string, instruments: Instruments): Promise<readonly Finding[]> {
  const connection = await examinePlainConnection(new URL(agentUrl), instruments.safeFetch)
  if (connection.outcome === 'problem') return [connection]
  const { findings } = await examineCapabilities(agentUrl, instruments)
  const keys = { ...instruments, fetchDocument: keyDocuments(instruments.safeFetch) }
  return [
    connection,
    ...findings,
    skipped('brand.json', 'buyers find an agent at an https address alone'),
    ...(await examineKeys(new URL('/.well-known/jwks.json', agentUrl).href, keys)),
    await examineAuthorizationServers(agentUrl, instruments),
    await examineRefusal(agentUrl, instruments),
    skipped('signed call', 'the keys of an agent are verified over https alone'),
  ]
}

function isHere(agentUrl: string, { plainLoopback }: Instruments): boolean {
  return plainLoopback === true && isPlainLoopback(new URL(agentUrl))
}

function examineAddress(agentUrl: string, instruments: Instruments): Finding {
  const url = URL.canParse(agentUrl) ? new URL(agentUrl) : undefined
  if (!url) return problem('address', `"${agentUrl}" is not a URL`, 'an agent URL has the form https://ads.example.com/mcp')
  const isUsable = url.protocol === 'https:' || isHere(agentUrl, instruments)
  if (!isUsable)
    return problem(
      'address',
      `${agentUrl} is not https`,
      'set tls, or put a proxy in front, and set publicUrl to the https address',
    )
  if (url.search !== '' || url.hash !== '' || url.username !== '')
    return problem('address', `${agentUrl} has a query, fragment or user`, 'leave them out: the URL is compared byte for byte')
  if (url.protocol === 'https:') return ok('address', agentUrl)
  return warning(
    'address',
    `${agentUrl} is plain http on this machine, for development: programs of this machine alone reach it`,
    'for buyers set tls, or put a proxy in front, and set publicUrl to the https address',
  )
}

/** What the agent says of itself, and `capabilities`; undefined when it does not answer. */
async function examineCapabilities(
  agentUrl: string,
  { safeFetch, schemas, productionTenants }: Instruments,
): Promise<{ readonly findings: readonly Finding[]; readonly capabilities: unknown }> {
  let capabilities: unknown
  try {
    capabilities = await capabilitiesOf(agentUrl, safeFetch)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'no reason given'
    const text = `get_adcp_capabilities cannot be called: ${reason}`
    return { findings: [problem('capabilities', text, 'see the log of the server')], capabilities: undefined }
  }
  const [issue] = schemas.response('get_adcp_capabilities')(capabilities)
  const answered = issue
    ? problem('capabilities', `the answer breaks its schema at ${issue.pointer}: ${issue.message}`, 'update the server')
    : ok('capabilities', 'get_adcp_capabilities answers without credentials')
  return { findings: [answered, ...examineBackends(capabilities, productionTenants)], capabilities }
}

async function examineChain(agentUrl: string, instruments: Instruments): Promise<readonly Finding[]> {
  const { safeFetch, parseJson } = instruments
  const { findings, capabilities } = await examineCapabilities(agentUrl, instruments)
  if (capabilities === undefined) return findings
  try {
    const fetchDocument = keyDocuments(safeFetch)
    const options = {
      fetchDocument,
      capabilitiesOf: async () => capabilities,
      registrableDomain,
      parseJson,
      clock: instruments.clock,
    }
    const jwksUri = await jwksUriOf(agentUrl, options)
    const listed = ok('brand.json', `its agents[] lists the agent once, with the keys at ${jwksUri}`)
    return [...findings, listed, ...(await examineKeys(jwksUri, { ...instruments, fetchDocument }))]
  } catch (error) {
    if (!(error instanceof SignatureFault)) throw error
    const [text, advice] = signatureWords(error.code)
    return [...findings, problem('brand.json', text, advice), skipped('keys', 'the way to the keys is broken')]
  }
}

const CALL: FetchPolicy = {
  redirects: 'none',
  maxRedirects: 0,
  maxBytes: 1024 * 1024,
  connectMs: 10_000,
  readMs: 10_000,
  totalMs: 20_000,
  contentTypes: undefined,
}

async function call(
  agentUrl: string,
  task: string,
  { safeFetch }: Instruments,
  sign?: (body: Uint8Array) => Promise<Record<string, string>>,
) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: task, arguments: {} } }
  const body = Buffer.from(JSON.stringify(message))
  // What is signed brings its own Content-Type.
  const headers = sign ? await sign(body) : { 'Content-Type': 'application/json' }
  return safeFetch(agentUrl, { policy: CALL, accept: 'application/json, text/event-stream', post: { body, headers } })
}

/** A protected task without credentials has to end in a real 401. */
async function examineRefusal(agentUrl: string, instruments: Instruments): Promise<Finding> {
  const check = 'unauthenticated call'
  try {
    const { status } = await call(agentUrl, 'list_creatives', instruments)
    if (status === 401) return ok(check, 'a protected task answers 401 to callers without credentials')
    return problem(
      check,
      `a protected task answers ${status} to callers without credentials`,
      'it has to be 401: does a proxy rewrite it?',
    )
  } catch {
    return warning(check, 'a protected task gives no answer', 'try again; see the log of the server')
  }
}

/** Our own key, known through the very chain that was walked, has to be accepted. */
async function examineSignedCall(agentUrl: string, instruments: Instruments): Promise<Finding> {
  const { signer, clock } = instruments
  const check = 'signed call'
  if (!signer) return skipped(check, 'no key of this agent at hand: run it where the data folder is, after "identity init"')
  try {
    const message = { method: 'POST', url: agentUrl }
    const { status, challenge = '' } = await call(agentUrl, 'get_adcp_capabilities', instruments, (bytes) =>
      signMessage({ ...message, body: bytes }, signer, REQUEST_PROFILE, clock().getTime() / 1000),
    )
    if (status === 200) return ok(check, `a call signed with ${signer.keyid} is accepted`)
    const code = /request_[a-z_]+/.exec(challenge)?.[0]
    const [text, advice] = code === undefined ? [`it answers ${status}`, 'see the log of the server'] : signatureWords(code)
    return problem(check, `the call signed with ${signer.keyid} is refused: ${text}`, advice)
  } catch {
    return warning(check, 'the signed call gives no answer', 'try again; see the log of the server')
  }
}
