import { randomUUID } from 'node:crypto'
import { isObject } from '../../protocol/is-object.ts'
import { broken, type Check, unverified } from './check.ts'

/** What the seller says of itself: capabilities, and the names of its tools. */
export interface Sign {
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly tools: readonly string[]
}

/** The tasks that a seller of media has in every release (AdCP "Media buy protocol", required tasks). */
const REQUIRED = ['get_adcp_capabilities', 'get_products', 'create_media_buy', 'get_media_buy_delivery']

/** Whether who calls is looked at, and what is declared is there. */
export const ACCESS_CHECKS: readonly Check<Sign>[] = [
  {
    id: 'declared-tasks',
    group: 'discovery',
    title: 'a seller that declares media_buy lists the tasks of it',
    async run(_call, { capabilities, tools }) {
      const declared: unknown = capabilities.supported_protocols
      if (!Array.isArray(declared) || !declared.includes('media_buy')) return unverified('it declares no media_buy')
      const missing = REQUIRED.filter((task) => !tools.includes(task))
      return missing.length === 0 ? undefined : broken(`tools/list has no ${missing.join(', ')}`)
    },
  },
  {
    id: 'declared-idempotency',
    group: 'discovery',
    title: 'capabilities say whether and for how long repeated calls are recognised',
    async run(_call, { capabilities }) {
      const adcp = isObject(capabilities.adcp) ? capabilities.adcp : {}
      const idempotency = isObject(adcp.idempotency) ? adcp.idempotency : undefined
      if (idempotency === undefined) return broken('adcp.idempotency is missing')
      const { supported, replay_ttl_seconds: seconds } = idempotency
      if (supported === false) return undefined
      return typeof seconds === 'number' && seconds >= 3600
        ? undefined
        : broken(`replay_ttl_seconds is ${JSON.stringify(seconds) ?? 'missing'}, not 3600 or more`)
    },
  },
  ...[
    { id: 'orders-without-key', title: 'orders are not shown without credentials', key: null },
    {
      id: 'orders-with-made-up-key',
      title: 'orders are not shown to credentials that nobody gave out',
      key: `made-up-${randomUUID()}`,
    },
  ].map(
    ({ id, title, key }): Check<Sign> => ({
      id,
      group: 'identity',
      title,
      async run(call) {
        const answer = await call('get_media_buys', {}, { key })
        return answer.refusal ? undefined : broken('get_media_buys is answered')
      },
    }),
  ),
]
