import { StaticJwksResolver } from '@adcp/sdk/signing'
import {
  createTestClient,
  getComplianceCacheDir,
  runStoryboard,
  type Storyboard,
  type StoryboardResult,
  type StoryboardRunOptions,
} from '@adcp/sdk/testing'
import { testKitOf } from './test-kit.ts'

/** Where and how to play storyboards. */
export interface Stage {
  readonly url: string
  readonly key: string
  readonly protocol: 'mcp' | 'a2a'
  /** Judge webhooks: steps that wait for them take up to 30 s and 90 s each. */
  readonly webhooks: boolean
}

/** Asks an agent what it declares. @throws Error when the call fails */
export async function capabilitiesOf(stage: Stage): Promise<unknown> {
  const answer = await createTestClient(stage.url, stage.protocol, {
    auth: { type: 'bearer', token: stage.key },
  }).getAdcpCapabilities({})
  if (!answer.success) throw new Error(`get_adcp_capabilities failed: ${answer.error ?? 'no reason given'}`)
  return answer.data
}

/** The keys that an agent publishes for its signatures, so that the suite verifies the webhooks; undefined when it publishes none. */
async function keysOf(url: string): Promise<StaticJwksResolver | undefined> {
  const response = await fetch(new URL('/.well-known/jwks.json', url))
  if (!response.ok) return undefined
  const { keys } = (await response.json()) as { keys: ConstructorParameters<typeof StaticJwksResolver>[0] }
  return new StaticJwksResolver(keys)
}

/**
 * Plays one storyboard, with the options that the official `comply()` gives it.
 * @param context values that it begins with
 */
export async function play(
  stage: Stage,
  storyboard: Storyboard,
  sessionId: string,
  context: Readonly<Record<string, unknown>> = {},
): Promise<StoryboardResult> {
  const jwks = stage.webhooks ? await keysOf(stage.url) : undefined
  const options: StoryboardRunOptions = {
    protocol: stage.protocol,
    allow_http: stage.url.startsWith('http:'),
    sandbox: true,
    test_session_id: sessionId,
    auth: { type: 'bearer', token: stage.key },
    test_kit: await testKitOf(storyboard, getComplianceCacheDir(), stage.key),
    // Every vector, those about URLs too: the server under test serves raw operations to the grader.
    request_signing: { transport: 'raw' },
    // The receiver is there in any case: without it, requests would carry an unresolved placeholder for its URL.
    webhook_receiver: { mode: 'loopback_mock' },
    contracts: stage.webhooks ? ['webhook_receiver_runner'] : [],
    ...(jwks && { webhook_signing: { jwks } }),
    // "--governance-agent-url": the agent under test keeps the plans of these storyboards, so it is the governance agent too.
    context: { governance_agent_url: new URL('/mcp', stage.url).href.replace(/^http:/, 'https:'), ...context },
  }
  return await runStoryboard(stage.url, storyboard, options)
}
