import { creativeEntryId } from '../../domain/approval/entry-id.ts'
import { approveCreative } from '../../operator/creatives/decide-creative.ts'
import type { CreativeRow } from '../../operator/creatives/list-creatives.ts'
import { may } from '../do-act.ts'
import { moment } from '../format.ts'
import { type Html, html, webAddress } from '../html.ts'
import type { TenantCall } from '../route.ts'
import { statusBadge } from './parts.ts'
import { chooseBox, decideButtons, severalForm } from './several.ts'

/** Creatives as pictures, each as it will run; for those who decide, with a box for each and one decision for all that are ticked. */
export function decidableTiles(call: TenantCall, tiles: readonly CreativeRow[], pathOf: (tile: CreativeRow) => string): Html {
  const mayDecide = may(call, approveCreative) && tiles.some(({ status }) => status === 'pending_review')
  const list = html`<div class="tiles">${tiles.map((each) => tile(each, pathOf(each), mayDecide))}</div>`
  if (!mayDecide) return list
  return html`${severalForm(call, '/creatives/decide', decideButtons())}${list}`
}

function tile(each: CreativeRow, path: string, mayDecide: boolean): Html {
  const address = webAddress(each.picture)
  const picture =
    address === undefined
      ? html`<iframe class="thumbnail" title="${each.name}" sandbox="allow-scripts" loading="lazy" inert src="${path}/preview?thumbnail"></iframe>`
      : html`<img src="${address}" alt="" loading="lazy" referrerpolicy="no-referrer">`
  return html`<article class="tile">${picture}
<p><a href="${path}">${each.name}</a></p>
<p class="soft">${each.buyer} · ${each.format}</p>
<p>${statusBadge(each.status)} <small>${moment(each.updated_at)}</small></p>
${each.reason !== undefined && html`<p class="soft">${each.reason}</p>`}
${mayDecide && chooseBox(entryId(each), each.name)}</article>`
}

/** The id of a creative in the inbox. */
function entryId({ buyer, account, creative_id: id }: CreativeRow): string {
  return creativeEntryId({ buyer, account, creative: id })
}
