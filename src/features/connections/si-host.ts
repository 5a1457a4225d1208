import type { OfferedProduct } from '../../domain/brand/brands-file.ts'
import type { Reply, SiHost, Turn } from '../sponsored-intelligence/si-host.ts'
import type { CallSystem } from './checked-system.ts'
import { readList, readObject, readOneOf, readOptional, readText } from './read-answer.ts'

/** A voice of the publisher's own in sponsored conversations. Products are named by their ids: what is shown of them is what was imported. */
export function checkedSiHost(inner: SiHost, call: CallSystem): SiHost {
  const { name, description, simulated } = inner
  return {
    name,
    description,
    simulated,
    reply: (turn) =>
      call(
        'reply',
        () => inner.reply(turn),
        (answer) => readReply(answer, turn),
      ),
  }
}

function readReply(answer: unknown, { offering }: Turn): Reply {
  const { message, products, wanted, handoff } = readObject(answer, 'the answer')
  const offered = new Map((offering?.products ?? []).map((product) => [product.product_id, product]))
  const readProduct = (value: unknown, what: string): OfferedProduct => {
    const id = readText(readObject(value, what).product_id, `product_id of ${what}`)
    const found = offered.get(id)
    if (found) return found
    throw new TypeError(`product_id of ${what} must be a product of the offering`)
  }
  return {
    message: readText(message, 'message'),
    products: readList(products, 'products').map((product, index) => readProduct(product, `product ${index}`)),
    wanted: readOptional(wanted, readProduct, 'wanted'),
    ...(handoff !== undefined && { handoff: readOneOf(handoff, ['transaction', 'complete'], 'handoff') }),
  }
}
