import { ACCOUNT, isRefusal, purchases, type Served } from '../../tools/measure/deployment.ts'
import { type Target, toolCall } from '../../tools/measure/subject.ts'

/** A hot task as a buyer asks it. */
export interface Question {
  readonly title: string
  readonly target: Target
  /** Told in the table, but no promise holds it: the answer itself, or what it is chosen from, is longer there. */
  readonly free?: boolean
}

/** The hot tasks, asked of a served store that `growStore` filled. */
export function questionsOf({ url, headers }: Served): Question[] {
  let serial = 0
  const ask = (title: string, body: Target['body'], mark: string, free = false): Question => ({
    title,
    target: { url, headers, body, succeeded: (reply) => reply.includes(mark) && !isRefusal(reply) },
    free,
  })
  const brief = (text: string) =>
    toolCall('get_products', { buying_mode: 'brief', brief: text, account: ACCOUNT, pagination: { max_results: 4 } })
  return [
    ask('get_products, asked before', brief('video for coffee drinkers'), '"product_id"'),
    ask('get_products, a new question about one name', () => brief(`homepage area7 question${serial++}`), '"product_id"'),
    ask(
      'get_products, a new question that fits a large part of the products',
      () => brief(`video question${serial++}`),
      '"product_id"',
      true,
    ),
    { title: 'create_media_buy', target: { url, headers, ...purchases() } },
    ask('get_media_buys, what runs', toolCall('get_media_buys', { pagination: { max_results: 10 } }), '"media_buy_id":"mb_copy_'),
    ask('get_media_buys, by id', toolCall('get_media_buys', { media_buy_ids: ['mb_copy_7'] }), '"media_buy_id":"mb_copy_7"'),
    ask('list_creatives', toolCall('list_creatives', { pagination: { max_results: 10 } }), '"creative_id"'),
    ask(
      'get_media_buy_delivery, of one',
      toolCall('get_media_buy_delivery', { media_buy_ids: ['mb_copy_7'] }),
      '"media_buy_id":"mb_copy_7"',
    ),
    ask(
      'get_media_buy_delivery, what runs',
      toolCall('get_media_buy_delivery', { status_filter: ['active'] }),
      '"media_buy_id":"mb_copy_',
    ),
  ]
}
