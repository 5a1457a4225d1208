import type { ConversationOffering, OfferedProduct } from '../../domain/brand/brands-file.ts'
import { containedIn } from '../../domain/normal-text.ts'
import { matchProducts } from '../../domain/si/offering.ts'
import type { Reply, SiHost, Turn } from './si-host.ts'

/** Products of one answer: more is a list, not a conversation. */
const MAX_SHOWN = 3

const BUY = /\b(buy|purchase|order|checkout|check out|subscribe|take it|book)\b/i
const DONE = /\b(thanks?|thank you|bye|goodbye|that is all|that's all|no more)\b/i
const PRICE = /\b(price|cost|how much|expensive|cheap)\b/i
/** "the second one", "number 2". */
const ORDINALS: readonly RegExp[] = [
  /\b(first|1st|number one|number 1|no\. ?1)\b/i,
  /\b(second|2nd|number two|number 2|no\. ?2)\b/i,
  /\b(third|3rd|number three|number 3|no\. ?3)\b/i,
]

/**
 * The default voice: answers from the imported offering by rules, the same answer to the same words. It is no language model: it finds products by
 * their words, understands "the second one", names prices, and hands over when somebody wants to buy or is done.
 */
export function createScriptedSiHost(): SiHost {
  return {
    name: 'scripted conversation',
    description: 'Built-in: answers from the imported offerings by rules. No language model and no person is behind it.',
    simulated: true,
    reply: async (turn) => answer(turn),
  }
}

function answer(turn: Turn): Reply {
  const { offering, brandName, text = '', action, isOpening } = turn
  if (!offering) return { message: `${brandName} has nothing on offer right now.`, products: [], handoff: 'complete' }
  const chosen = chosenProduct(turn)
  if (action === 'acp_checkout' || (!isOpening && BUY.test(text)))
    return buying(offering, chosen ?? turn.wanted ?? onlyOne(turn.shown))
  if (chosen) return about(chosen, PRICE.test(text))
  if (!isOpening && DONE.test(text))
    return { message: `Thank you for your interest in ${brandName}.`, products: [], handoff: 'complete' }
  const products = matchProducts(offering.products ?? [], text).slice(0, MAX_SHOWN)
  return { message: isOpening ? opening(brandName, offering, products) : listing(products, offering), products }
}

/** What the user points at: a card, or a place in what they were shown. */
function chosenProduct({ action, text = '', shown, offering }: Turn): OfferedProduct | undefined {
  const id = action?.startsWith('choose:') ? action.slice('choose:'.length) : undefined
  if (id !== undefined) return offering?.products?.find((product) => product.product_id === id)
  const place = ORDINALS.findIndex((pattern) => pattern.test(text))
  if (place >= 0 && shown[place]) return shown[place]
  const isNamed = containedIn(text)
  return [...shown, ...(offering?.products ?? [])].find(({ name }) => isNamed(name))
}

function onlyOne(shown: readonly OfferedProduct[]): OfferedProduct | undefined {
  return shown.length === 1 ? shown[0] : undefined
}

function buying(offering: ConversationOffering, product: OfferedProduct | undefined): Reply {
  const products = (offering.products ?? []).slice(0, MAX_SHOWN)
  if (!product) {
    if (products.length > 0) return { message: 'Which one would you like?', products }
    return { message: `Go on here: ${offering.landing_url ?? offering.summary}`, products: [], handoff: 'complete' }
  }
  return {
    message: `${product.name} it is. You can complete your order now.`,
    products: [product],
    wanted: product,
    handoff: 'transaction',
  }
}

function about(product: OfferedProduct, price: boolean): Reply {
  const { name, description, availability_summary: availability } = product
  const cost = product.price === undefined ? `There is no price for ${name} yet.` : `${name} is ${product.price}.`
  const parts = price
    ? [cost, availability]
    : [`${name}.`, description, product.price === undefined ? undefined : cost, availability]
  return { message: parts.filter((part) => part !== undefined).join(' '), products: [product], wanted: product }
}

function opening(brandName: string, { summary, tagline }: ConversationOffering, products: readonly OfferedProduct[]): string {
  const what = products.length > 0 ? ` You may like ${named(products)}.` : ''
  return `This is ${brandName} (sponsored). ${tagline ?? summary}${/[.!?]$/.test(tagline ?? summary) ? '' : '.'}${what}`
}

function listing(products: readonly OfferedProduct[], { summary }: ConversationOffering): string {
  return products.length > 0 ? `For that, see ${named(products)}.` : summary
}

function named(products: readonly OfferedProduct[]): string {
  const names = products.map(({ name }) => name)
  return names.length > 1 ? `${names.slice(0, -1).join(', ')} or ${names.at(-1)}` : (names[0] ?? '')
}
