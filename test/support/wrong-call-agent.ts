import { randomUUID } from 'node:crypto'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from './media-buy-agent.ts'

/** An agent that the wrong calls of a buyer are sent to, with what they name in angle brackets. */
export interface WrongCallAgent extends MediaBuyAgent {
  /** A value with what was made in place of the names in angle brackets. A member that is undefined stays so. */
  filled<T>(value: T): T
  /** Makes another media buy for the names in angle brackets: calls that were taken changed the one before. */
  renew(): Promise<void>
  /** Sends a wrong call: the arguments join a call that is right but for them. */
  ask(task: string, args: object): ReturnType<MediaBuyAgent['run']>
}

export async function startWrongCallAgent(): Promise<WrongCallAgent> {
  const made: Record<string, string> = {}
  const auction = {
    pricing_option_id: 'cpm_auction',
    pricing_model: 'cpm' as const,
    currency: 'USD',
    floor_price: 5,
    min_spend_per_package: 500,
  }
  const agent = await startMediaBuyAgent([
    productDocument('news'),
    productDocument('home_takeover', { delivery_type: 'guaranteed', pricing_options: [auction] }, { daily_capacity: 1000 }),
  ])
  const renew = async () => {
    const { data } = await agent.create()
    made['<buy>'] = data.media_buy_id
    made['<package>'] = data.packages[0].package_id
  }
  await renew()
  made['<key>'] = randomUUID()
  made['<agent>'] = new URL(agent.url).origin
  await agent.create({ idempotency_key: made['<key>'] })
  const { data: listed } = await agent.buyer.call('list_accounts', {})
  made['<account>'] = listed.accounts[0].account_id

  function filled<T>(value: T): T
  function filled(value: unknown): unknown {
    if (typeof value === 'string') return Object.entries(made).reduce((text, [name, real]) => text.replaceAll(name, real), value)
    if (Array.isArray(value)) return value.map(filled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]))
  }
  return {
    ...agent,
    filled,
    renew,
    ask: (task, args) => (task === 'create_media_buy' ? agent.create(args) : agent.run(task, args)),
  }
}

/** The error of an answer, whether it is that of the whole call or of its first entry. */
// biome-ignore lint/suspicious/noExplicitAny: answers are judged by assertions
export function errorOf({ data, isError }: { readonly data: any; readonly isError: boolean }) {
  return isError ? data.adcp_error : (data.errors?.[0] ?? data.creatives?.[0]?.errors?.[0])
}
