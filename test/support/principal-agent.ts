import { afterAll, beforeAll } from 'vitest'
import { type ReleaseAgent, startReleaseAgent } from './release-agent.ts'
import { startReceiver, type WebhookReceiver } from './webhook-receiver.ts'

/** An agent of 3.2 that looks for changes of its capabilities every 200 ms, and a receiver of its webhooks; for the tests of one file. */
export function principalAgent() {
  let agent: ReleaseAgent
  let receiver: WebhookReceiver
  /** What the receiver sends back for a challenge. */
  let echo: (challenge: string) => object = (challenge) => ({ challenge })
  beforeAll(async () => {
    receiver = await startReceiver()
    receiver.answer(({ body }, response) => {
      response.writeHead(200).end(JSON.stringify(body.type === 'webhook.challenge' ? echo(body.challenge) : {}))
    })
    agent = await startReleaseAgent({ conformance: false, sandbox: true, capabilitiesMs: 200 })
  }, 120_000)
  afterAll(async () => {
    await agent?.stop()
    await receiver?.close()
  })

  const ask = async (task: string, args: object = {}, client = agent.buyer) =>
    client.call(task, { adcp_version: '3.2', idempotency_key: `principal-${crypto.randomUUID()}`, ...args })
  const read = async (client = agent.buyer) => (await ask('get_principal', {}, client)).data.result
  const config = (subscriber_id: string, more: object = {}) => ({
    subscriber_id,
    url: `${receiver.origin}/${subscriber_id}`,
    event_types: ['capabilities.changed'],
    ...more,
  })
  const sync = (notification_configs: object[], more: object = {}) =>
    ask('sync_principal', { configuration: { notification_configs }, ...more })
  return {
    ...{ ask, read, config, sync },
    agent: () => agent,
    receiver: () => receiver,
    echoAs(next: (challenge: string) => object) {
      echo = next
    },
  }
}
