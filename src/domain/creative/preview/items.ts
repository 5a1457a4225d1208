import type { ShownItem } from '../macros/catalog-macros.ts'
import { escapeHtml } from '../macros/encode.ts'
import { linkAttribute } from './html.ts'

/** Items of a catalog that a preview shows: enough to see how they look. */
export const MOST_SHOWN = 6
/** Characters of a text, and of an address, that a preview shows. */
const MOST_TEXT = 200
const MOST_ADDRESS = 2000

/** Steps of a microsecond that `renderItems` and what keeps its page take at most: fifty characters each, where every character is escaped. */
export const ITEMS_STEPS = (MOST_SHOWN * (3 * 5 * MOST_TEXT + 2 * 5 * MOST_ADDRESS + 600)) / 50

/** Items of a catalog as a row of cards. What looks like a macro in them is none, so nothing is filled. */
export function renderItems(items: readonly ShownItem[]): string {
  return `<div style="display:flex;flex-wrap:wrap;gap:12px">${items.slice(0, MOST_SHOWN).map(renderItem).join('')}</div>`
}

function renderItem({ title, description, url, imageUrl, price }: ShownItem): string {
  const image = addressOf(imageUrl)
  const link = addressOf(url)
  const parts = [
    image ? `<img src="${image}" alt="" style="width:100%;display:block">` : '',
    textOf(title, 'font-weight:600;font-size:16px'),
    textOf(description, 'margin-top:4px'),
    textOf(price, 'color:#666;font-size:12px'),
  ].join('')
  const card = `<div style="border:1px solid #ddd;border-radius:8px;overflow:hidden;max-width:240px;padding-bottom:12px">${parts}</div>`
  return link
    ? `<a href="${link}" target="_blank" rel="noopener noreferrer" style="color:inherit;text-decoration:none">${card}</a>`
    : card
}

function textOf(text: string | undefined, style: string): string {
  return text === undefined ? '' : `<div style="padding:0 12px;${style}">${escapeHtml(text.slice(0, MOST_TEXT))}</div>`
}

function addressOf(address: string | undefined): string | undefined {
  return address === undefined || address.length > MOST_ADDRESS ? undefined : linkAttribute(address)
}
