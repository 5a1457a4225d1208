import { creativeEntryId } from '../../domain/approval/entry-id.ts'
import { decideSeveral } from '../../operator/approvals/decide-several.ts'
import { CREATIVE_STATUSES } from '../../operator/creatives/creative-shapes.ts'
import { approveCreative, rejectCreative } from '../../operator/creatives/decide-creative.ts'
import { examineCreative } from '../../operator/creatives/examine-creative.ts'
import type { NamedCreative } from '../../operator/creatives/find-creative.ts'
import { listCreatives } from '../../operator/creatives/list-creatives.ts'
import { linkCreativePreview } from '../../operator/creatives/preview-link.ts'
import { showCreative } from '../../operator/creatives/show-creative.ts'
import { previewCreative } from '../../operator/creatives/show-preview.ts'
import { uploadCreative } from '../../operator/creatives/upload-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { creativeSubjects, decideTogether } from '../answer-several.ts'
import { decideUnlessDecided } from '../decide-once.ts'
import { actRoute, doAct, may } from '../do-act.ts'
import { written } from '../form-text.ts'
import { moment, words } from '../format.ts'
import { type Html, html, type Part, webAddress } from '../html.ts'
import { type Examined, examinedPanel, usesPanel } from '../parts/creative-context.ts'
import { previewPanel } from '../parts/creative-preview.ts'
import { decidableTiles } from '../parts/creative-tiles.ts'
import { act, choice, csrfField, empty, facts, heading, limits, pager, statusBadge, table } from '../parts/parts.ts'
import { type Answer, type ConsoleRoute, page, redirect, type TenantCall } from '../route.ts'

/** Creatives of the buyers: their list, one of them, and how it shows. */
export const creativeRoutes: readonly ConsoleRoute[] = [
  actRoute('GET', '/creatives', listCreatives, creativesPage),
  actRoute('POST', '/creatives/decide', decideSeveral, (call) => decideTogether(call, 'Creatives', '/creatives')),
  actRoute('GET', '/creatives/{buyer}/{account}/{creative}', showCreative, (call) => creativePage(call)),
  actRoute('GET', '/creatives/{buyer}/{account}/{creative}/preview', previewCreative, preview),
  actRoute('POST', '/creatives/{buyer}/{account}/{creative}/preview-link', linkCreativePreview, answerPreviewLink),
  actRoute('POST', '/creatives/{buyer}/{account}/{creative}/examine', examineCreative, answerExamination),
  actRoute('POST', '/creatives/{buyer}/{account}/{creative}/approve', approveCreative, (call) =>
    answerDecision(call, 'approved'),
  ),
  actRoute('POST', '/creatives/{buyer}/{account}/{creative}/reject', rejectCreative, (call) => answerDecision(call, 'rejected')),
]

async function creativesPage(call: TenantCall): Promise<Answer> {
  const { query, base } = call
  const status = query.get('status') || 'pending_review'
  const cursor = query.get('cursor') || undefined
  const { items: tiles, next_cursor: next } = await doAct(call, listCreatives, { status, cursor })
  const options = CREATIVE_STATUSES.map((each) => [each, words(each)] as const)
  const form = html`<form class="filters" method="get" action="${base}/creatives">${choice('status', 'Status', options, status)}<button>Show</button></form>`
  const none = empty(
    `No creative is ${words(status).toLowerCase()}`,
    status === 'pending_review' ? 'What buyers upload appears here when a person reviews creatives (Settings).' : undefined,
  )
  const list = tiles.length === 0 ? none : decidableTiles(call, tiles, (tile) => pathOf(base, tile))
  const host = may(call, uploadCreative) ? html`<a class="button" href="${base}/creatives/files">Host a file</a>` : undefined
  return page('Creatives', html`${heading('Creatives', host)}${form}${list}${pager(`${base}/creatives`, query, next)}`)
}

/** What was just done on the page of a creative. */
interface Done {
  readonly link?: { readonly url: string; readonly expires_at: string }
  readonly examined?: Examined
}

async function creativePage(call: TenantCall, { link: made, examined }: Done = {}): Promise<Answer> {
  const { base } = call
  const creative = await doAct(call, showCreative, namedOf(call))
  const path = pathOf(base, creative)
  const assets = creative.assets.map((asset) => [asset.name, asset.type, assetValue(asset)])
  const mayDecide = may(call, approveCreative)
  const acts = html`${creative.status !== 'approved' && act(call, `${path}/approve`, 'Approve', { kind: 'primary', fields: { seen: creative.status } })}`
  const reject = html`<section class="panel narrow"><h2>Reject</h2><form method="post" action="${path}/reject">${csrfField(call)}<input type="hidden" name="seen" value="${creative.status}"><div class="field"><label for="reason">Reason. The buyer gets it.</label><textarea id="reason" name="reason"${limits(rejectCreative.fields.reason)}></textarea></div><button class="danger">Reject: it stops serving</button></form></section>`
  const body = html`${heading(html`${creative.name} ${statusBadge(creative.status)}`, mayDecide ? acts : undefined, creative.creative_id)}
${creative.reason !== null && html`<p class="notice warn">${creative.reason}</p>`}
${previewPanel(creative.preview, `${path}/preview`)}
${examined ? examinedPanel(examined) : html`<section class="panel narrow"><h2>What its addresses answer</h2><p>Files, tags and where a click leads, as a browser would ask for them.</p>${act(call, `${path}/examine`, 'Check its addresses')}</section>`}
${usesPanel(call, creative.used_in)}
${mayDecide && html`<section class="panel narrow"><h2>On your page</h2>${previewForm(call, path, made)}</section>`}
<section class="panel"><h2>About</h2>${facts([
    ['Buyer', html`<a href="${base}/buyers/${encodeURIComponent(creative.buyer)}#creatives">${creative.buyer}</a>`],
    ['Account', creative.account || 'every account of the buyer'],
    ['Format', creative.format],
    ['A click leads to', creative.click_to ?? 'nowhere that its assets say'],
    ['Tags', creative.tags.join(', ')],
    ['Version', creative.version],
    ['Added', moment(creative.created_at)],
    ['Changed', moment(creative.updated_at)],
    ['Approved', creative.approved_at === null ? undefined : moment(creative.approved_at)],
  ])}</section>
<section class="panel"><h2>Assets</h2>${table('Assets', ['Name', 'Type', 'Value'], assets)}</section>
${mayDecide && creative.status !== 'rejected' && reject}`
  return page(creative.name, body)
}

type Decision = NamedCreative & { readonly reason: string | undefined; readonly seen?: string | undefined }

const DECISIONS = {
  approved: (call: TenantCall, decision: Decision) => doAct(call, approveCreative, decision),
  rejected: (call: TenantCall, decision: Decision) => doAct(call, rejectCreative, decision),
}

/** Asks for a page of the publisher, and gives the link that shows the creative there. */
function previewForm(call: TenantCall, path: string, made: { url: string; expires_at: string } | undefined): Html {
  return html`<form method="post" action="${path}/preview-link">${csrfField(call)}<div class="field"><label for="page">Address of a page that has your tags</label><input id="page" name="page" type="url"${limits(linkCreativePreview.fields.page, true)}></div><button>Make a link</button></form>
${made && html`<p><a href="${made.url}" target="_blank" rel="noopener noreferrer">Show it there</a></p><p class="hint">Anyone with this link sees the creative until ${moment(made.expires_at)}. No events are counted.</p>`}`
}

async function answerPreviewLink(call: TenantCall): Promise<Answer> {
  const page = written(call.form, 'page') ?? ''
  return creativePage(call, { link: await doAct(call, linkCreativePreview, { ...namedOf(call), page }) })
}

async function answerExamination(call: TenantCall): Promise<Answer> {
  return creativePage(call, { examined: await doAct(call, examineCreative, namedOf(call)) })
}

async function preview(call: TenantCall): Promise<Answer> {
  const shown = await previewOf(call)
  if (!shown) return { kind: 'preview', document: '<!doctype html><p>Nothing of this creative can be shown.', scripts: 'none' }
  const { document, scripts, layout } = shown
  return { kind: 'preview', document, scripts: scripts ? 'buyer' : layout === 'video' ? 'player' : 'none' }
}

/** How the creative shows; undefined: nothing of it can be shown. */
function previewOf(call: TenantCall) {
  const thumbnail = call.query.has('thumbnail') || undefined
  return doAct(call, previewCreative, { ...namedOf(call), thumbnail }).catch((error: unknown) => {
    if (error instanceof AdcpError && error.code === 'INVALID_STATE') return undefined
    throw error
  })
}

async function answerDecision(call: TenantCall, status: keyof typeof DECISIONS): Promise<Answer> {
  const { form, base } = call
  const named = namedOf(call)
  const [reason, seen] = ['reason', 'seen'].map((name) => written(form, name))
  await decideUnlessDecided(call, subjectsOf(named), () => DECISIONS[status](call, { ...named, reason, seen }))
  return redirect(pathOf(base, { ...named, creative_id: named.creative }), status)
}

/** Ids by which the audit log names a creative: decided on its page, or in the inbox. */
function subjectsOf({ buyer, account, creative }: NamedCreative): readonly string[] {
  return creativeSubjects(creativeEntryId({ buyer, account: account === '-' ? '' : account, creative }))
}

function namedOf({ params }: TenantCall): NamedCreative {
  const { buyer = '', account = '-', creative = '' } = params
  return { buyer, account, creative }
}

function pathOf(
  base: string,
  { buyer, account, creative_id: id }: { buyer: string; account: string; creative_id: string },
): string {
  return `${base}/creatives/${[buyer, account || '-', id].map(encodeURIComponent).join('/')}`
}

/** What an asset holds: an address as a link, a text as it is. */
function assetValue({ url, text }: { readonly url: string | null; readonly text: string }): Part {
  const address = webAddress(url)
  return address === undefined ? html`<code>${(url ?? text).slice(0, 2000)}</code>` : link(address)
}

function link(address: string): Html {
  return html`<a href="${address}" rel="noopener noreferrer nofollow" target="_blank">${address}</a>`
}
