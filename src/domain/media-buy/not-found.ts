import { AdcpError } from '../../protocol/errors.ts'
import { instead, insteadOfOwn, type NameSearch, quoted } from '../../protocol/nearest-name.ts'
import { MEDIA_BUY_STATUSES } from '../product/media-buy-status.ts'
import type { MediaBuy, Package } from './media-buy.ts'

/** How a buyer lists all of its media buys: without a filter, get_media_buys lists active ones alone (get-media-buys-request.json, `status_filter`). */
export const LISTS_ALL = `get_media_buys lists active ones, and with status_filter ${JSON.stringify(MEDIA_BUY_STATUSES)} all of yours`

/** MEDIA_BUY_NOT_FOUND for the `media_buy_id` of a request, with the buyer's `newest` of this account and how all are listed. */
export function mediaBuyNotFound(id: string, newest: readonly string[]): AdcpError {
  return new AdcpError('MEDIA_BUY_NOT_FOUND', `media_buy_id names no media buy of this account${insteadOfBuy(id, newest)}`, {
    field: 'media_buy_id',
  })
}

/** The end of a sentence that refuses the id of a media buy. `newest`: ids of the buyer's own, newest first. */
export function insteadOfBuy(id: string, newest: readonly string[], search?: NameSearch): string {
  return insteadOfOwn(id, newest, { label: 'the newest', elsewhere: LISTS_ALL }, search)
}

/** More would bury the message. */
const MOST_NAMED = 8

/** PACKAGE_NOT_FOUND for the id of a package in `field`: which packages the media buy has. A product in its place is answered with the packages of that product. */
export function packageNotFound(
  buy: Pick<MediaBuy, 'mediaBuyId' | 'packages'>,
  packageId: string,
  field: string,
  names?: NameSearch,
): AdcpError {
  const elsewhere = `get_media_buys with media_buy_ids [${quoted(buy.mediaBuyId)}] lists them`
  const known = buy.packages.map((pkg) => pkg.packageId)
  const ofProduct = buy.packages.some(({ productId }) => productId === packageId)
  const hint = ofProduct ? ` but its product; ${packagesByProduct(buy, packageId)}` : instead(packageId, known, elsewhere, names)
  return new AdcpError('PACKAGE_NOT_FOUND', `${field} ${quoted(packageId)} is no package of this media buy${hint}`, { field })
}

/** The packages of a media buy in words, with their products; those of one product alone where it is named and has some. */
export function packagesByProduct(
  { mediaBuyId, packages }: Pick<MediaBuy, 'mediaBuyId' | 'packages'>,
  productId?: string,
): string {
  const own = packages.filter((pkg) => pkg.productId === productId)
  const shown = own.length > 0 ? own : packages
  const more = shown.length - MOST_NAMED
  const each = shown.slice(0, MOST_NAMED).map((pkg: Package) => `${quoted(pkg.packageId)} is of ${pkg.productId}`)
  return `${each.join(', ')}${more > 0 ? ` and ${more} more: get_media_buys with media_buy_ids [${quoted(mediaBuyId)}] lists them` : ''}`
}
