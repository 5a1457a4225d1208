import { Command } from 'commander'
import { webhookActs } from '../operator/webhooks/acts.ts'
import { createReceiver, expectationOf } from '../operator/webhooks/receive-webhooks.ts'
import { actsCommand } from './act-command.ts'
import { type HeardWebhook, startListener } from './webhook-listener.ts'
import { tcpPort, wholeNumber } from './whole-number.ts'

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

/** `sales-agent webhooks`: the acts of notifications to buyers, and `listen`, which receives them. */
export function webhooksCommand(): Command {
  const listener = new Command('listen')
    .description('receive webhooks, verify them and print what came (for developers)')
    .option('--port <n>', 'TCP port; 0 picks a free one (default 4000)', tcpPort, 4000)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--agent <url>', 'agent that sends them: its keys are those of its origin')
    .option('--jwks <url>', 'its key set, when that lies elsewhere')
    .option(
      '--secret-file <file>',
      'file of the shared secret that was registered: expect HMAC-SHA256 or Bearer instead of signatures',
    )
    .option('--public-url <origin>', 'origin under which the agent knows this listener')
    .option('--answer <status>', 'HTTP status for genuine webhooks (default 200)', wholeNumber(200, 599), 200)
    .option('--json')
    .action(listen)
  return actsCommand('webhooks', webhookActs).addCommand(listener)
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
