import { Command, InvalidArgumentError } from 'commander'
import { type DeliveryState, listWebhooks, showWebhook } from '../operator/webhooks/list-webhooks.ts'
import { createReceiver, expectationOf } from '../operator/webhooks/receive-webhooks.ts'
import { redeliverWebhook } from '../operator/webhooks/redeliver-webhook.ts'
import { operateFor, type TenantOption } from './operate.ts'
import { print, printList, table, withMore } from './output.ts'
import { withStoreOptions } from './store-options.ts'
import { type HeardWebhook, startListener } from './webhook-listener.ts'

interface Options extends TenantOption {
  readonly state?: DeliveryState
  readonly limit?: number
  readonly cursor?: string
  readonly json?: boolean
}

interface ListenOptions {
  readonly port: number
  readonly host: string
  readonly agent?: string
  readonly jwks?: string
  readonly secretFile?: string
  readonly publicUrl?: string
  readonly answer: number
  readonly json?: boolean
}

const STATES: readonly string[] = ['pending', 'delivered', 'dead']

/** `sales-agent webhooks list|show|redeliver|listen`. */
export function webhooksCommand(): Command {
  const webhooks = new Command('webhooks')
  withStoreOptions(webhooks.command('list').description('newest first'))
    .option('--tenant <id>')
    .option('--state <state>', 'pending, delivered or dead', stateOf)
    .option('--limit <n>', 'most rows (default 50)', positive)
    .option('--cursor <text>', 'next_cursor of the page before')
    .option('--json')
    .action((options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const { state, cursor, limit = 50 } = options
        const { webhooks, next_cursor: next } = await listWebhooks(operator, { tenantId, state, cursor, limit })
        const rows = webhooks.map((one) => [
          one.delivery_id,
          one.created_at,
          one.event,
          one.principal,
          one.state,
          String(one.attempts),
          one.last_error ?? String(one.last_status ?? ''),
        ])
        const lines = table(['ID', 'CREATED', 'EVENT', 'BUYER', 'STATE', 'TRIES', 'LAST'], rows)
        printList(options.json, webhooks, withMore(lines, next), next)
      }),
    )
  withStoreOptions(webhooks.command('show <id>').description('one webhook with its body; secrets are never shown'))
    .option('--tenant <id>')
    .option('--json')
    .action((id: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        const shown = await showWebhook(operator, tenantId, id)
        const { idempotency_key: _key, ordering_key: _order, position: _position, authentication: _scheme, ...facts } = shown
        const { body, ...summary } = facts
        print(options.json, shown, [
          ...Object.entries(summary).map(([name, value]) => `${name}: ${value ?? ''}`),
          JSON.stringify(body, undefined, 2),
        ])
      }),
    )
  withStoreOptions(webhooks.command('redeliver <id>').description('send it again, the same bytes under the same key'))
    .option('--tenant <id>')
    .option('--json')
    .action((id: string, options: Options) =>
      operateFor(options, async (operator, tenantId) => {
        await redeliverWebhook(operator, { tenantId, id })
        print(options.json, { delivery_id: id, state: 'pending' }, [`webhook ${id} goes out again as soon as the server runs`])
      }),
    )
  webhooks
    .command('listen')
    .description('receive webhooks, verify them and print what came (for developers)')
    .option('--port <n>', 'TCP port; 0 picks a free one (default 4000)', port, 4000)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--agent <url>', 'agent that sends them: its keys are those of its origin')
    .option('--jwks <url>', 'its key set, when that lies elsewhere')
    .option(
      '--secret-file <file>',
      'file of the shared secret that was registered: expect HMAC-SHA256 or Bearer instead of signatures',
    )
    .option('--public-url <origin>', 'origin under which the agent knows this listener')
    .option('--answer <status>', 'HTTP status for genuine webhooks (default 200)', status, 200)
    .option('--json')
    .action(listen)
  return webhooks
}

async function listen(options: ListenOptions): Promise<void> {
  const { host, answer, publicUrl: publicOrigin } = options
  const onWebhook = (webhook: HeardWebhook) =>
    console.log(options.json ? JSON.stringify(webhook) : heardLines(webhook).join('\n'))
  const { origin } = await startListener({
    host,
    port: options.port,
    publicOrigin,
    answer,
    receive: createReceiver(expectationOf(options)),
    onWebhook,
  })
  console.log(options.json ? JSON.stringify({ listening: origin }) : `listening: any path under ${origin}`)
}

function heardLines({ at, path, reception, repeated, answered, payload }: HeardWebhook): readonly string[] {
  const verdict = reception.genuine
    ? `genuine (${reception.scheme}${reception.keyid === undefined ? '' : `, key ${reception.keyid}`})`
    : `REFUSED (${reception.code}): ${reception.detail}`
  return [
    `${at} ${path} ${verdict}${repeated ? ', seen before' : ''} → ${answered}`,
    JSON.stringify(payload, undefined, 2) ?? '(no JSON)',
  ]
}

function stateOf(text: string): string {
  if (STATES.includes(text)) return text
  throw new InvalidArgumentError(`a state is one of ${STATES.join(', ')}`)
}

function positive(text: string): number {
  return whole(text, 1, 1000, 'a limit')
}

function port(text: string): number {
  return whole(text, 0, 65_535, 'a port')
}

function status(text: string): number {
  return whole(text, 200, 599, 'a status')
}

function whole(text: string, least: number, most: number, what: string): number {
  const number = Number(text)
  if (!Number.isInteger(number) || number < least || number > most)
    throw new InvalidArgumentError(`${what} is a number from ${least} to ${most}`)
  return number
}
