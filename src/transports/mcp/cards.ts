import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** MCP Apps, revision 2026-01-26: what a host shows beside the answer of a tool. */
export const CARD_MIME_TYPE = 'text/html;profile=mcp-app'

/** A page that an assistant's host shows for the answers of some tools. */
interface Card {
  readonly name: string
  readonly title: string
  readonly tools: readonly string[]
}

const CARDS: readonly Card[] = [
  { name: 'products', title: 'Products to choose and order', tools: ['get_products'] },
  { name: 'orders', title: 'Orders and how far they are', tools: ['create_media_buy', 'get_media_buys'] },
  { name: 'delivery', title: 'Delivery report', tools: ['get_media_buy_delivery'] },
]

const uriOf = ({ name }: Card) => `ui://card/${name}`

/** `_meta` of a tool that has a card (MCP Apps, McpUiToolMeta); undefined for the others. */
export function cardMetaOf(tool: string): { readonly ui: { readonly resourceUri: string } } | undefined {
  const card = CARDS.find(({ tools }) => tools.includes(tool))
  return card && { ui: { resourceUri: uriOf(card) } }
}

/** The cards of the given tools, as MCP resources. */
export function listCards(tools: readonly { readonly name: string }[]) {
  const names = new Set(tools.map(({ name }) => name))
  const shown = CARDS.filter((card) => card.tools.some((tool) => names.has(tool)))
  return shown.map((card) => ({ name: `card ${card.name}`, title: card.title, uri: uriOf(card), mimeType: CARD_MIME_TYPE }))
}

/** A card by its address; undefined for another resource. It declares no origin: the host lets it reach nothing but the host. */
export function readCard(uri: string) {
  const card = CARDS.find((each) => uriOf(each) === uri)
  return card && { uri, mimeType: CARD_MIME_TYPE, text: pageOf(card), _meta: { ui: { csp: {}, prefersBorder: true } } }
}

const fileOf = (name: string) => readFileSync(fileURLToPath(new URL(`../../../assets/cards/${name}`, import.meta.url)), 'utf8')
const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** One page, all inside: the policy of contents names its style and its script by their hashes, and nothing else. */
function pageOf({ name, title }: Card): string {
  const style = fileOf('card.css')
  const script = `(() => {\n${fileOf('host.js')}\n${fileOf(`${name}.js`)}})()`
  const policy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(script)}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${title}</title><style>${style}</style></head>
<body><main aria-live="polite"></main><script>${script}</script></body></html>`
}
