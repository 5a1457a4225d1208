import type { MediaBuy } from './media-buy.ts'

/** PostgreSQL indexes at most 2,700 bytes of a row: 400 characters of four bytes leave room for the other columns. */
const MAX_CHARACTERS = 400

/** What the publisher's people find an order by, in small letters: its id, name, buyer, account, advertiser, purchase order and products. */
export function searchText(principalId: string, buy: MediaBuy): string {
  const words = [buy.mediaBuyId, buy.name, principalId, buy.accountId, buy.brand?.domain, buy.poNumber]
  const distinct = [...new Set([...words, ...buy.packages.map(({ productId }) => productId)])]
  return distinct
    .filter((word) => word !== undefined && word !== '')
    .join(' ')
    .toLowerCase()
    .slice(0, MAX_CHARACTERS)
}
