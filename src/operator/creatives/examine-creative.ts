import type { Assets } from '../../domain/creative/assets.ts'
import { ADDRESS_KINDS, addressesOf, type CreativeAddress } from '../../domain/creative/creative-addresses.ts'
import { codeOf, hostsOf, MOST_HOSTS, SIGNS, signsIn } from '../../domain/creative/features/code.ts'
import { clickAddress } from '../../domain/creative/landing-page.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { decode } from '../../platform/decode/decode.ts'
import { type FetchPolicy, publicReason } from '../../platform/net/fetch-policy.ts'
import type { FetchAnswer, SafeFetch } from '../../platform/net/safe-fetch.ts'
import { defineAct } from '../act.ts'
import { READERS } from '../roles.ts'
import { about, boolean, integer, listOf, type Of, object, orNull, string, word } from '../shape.ts'
import { CREATIVE, CREATIVE_COMMAND, findNamedCreative } from './find-creative.ts'

/** Addresses that are asked: a person waits for them. */
const MOST_ASKED = 20
const ASKED_AT_ONCE = 4
const POLICY: FetchPolicy = {
  redirects: 'any',
  maxRedirects: 5,
  maxBytes: 10_000_000,
  connectMs: 3_000,
  readMs: 4_000,
  totalMs: 6_000,
  contentTypes: undefined,
}

const address = object({
  asset: string,
  kind: about('a tracker is not requested, since the request would count', word(...ADDRESS_KINDS)),
  url: string,
  asked: about('whether it was requested', boolean),
  answer: about('the outcome in words', string),
  status: about('HTTP status at the end of the redirects', orNull(integer)),
  leads_to: about('where redirects ended', orNull(string)),
  media_type: orNull(string),
  bytes: orNull(integer),
  redirects: orNull(integer),
  cookies: about('cookies that the answers set, redirects included', orNull(integer)),
})
type ExaminedAddress = Of<typeof address>

const finding = object({
  severity: word('problem', 'note'),
  about: about('the asset, or code', string),
  text: string,
})
type Finding = Of<typeof finding>

const examined = object({
  addresses: listOf(address),
  requests: about('files and tags that the creative names; its code may load more', integer),
  bytes: about('size of its own code and of the files and tags that answered', integer),
  hosts: about(`hosts that the creative and its code name; ${MOST_HOSTS} at most`, listOf(string)),
  findings: listOf(finding),
})

/**
 * Requests the addresses of a creative as a browser would, and reports of each whether it answers, with which type and size, which cookies it sets, and where a
 * click leads. No code of the creative is run, and trackers are not requested, since a request would count. Throws CREATIVE_NOT_FOUND.
 */
export const examineCreative = defineAct({
  name: 'creatives.examine',
  route: 'POST /creatives/{buyer}/{account}/{creative}/examine',
  id: 'examineCreative',
  roles: READERS,
  changes: false,
  summary:
    'Requests the files and the click address of a creative and reports type, size and cookies of each answer. Trackers are not requested.',
  fields: CREATIVE,
  answer: examined,
  command: {
    ...CREATIVE_COMMAND,
    text: ({ addresses, requests, bytes, findings }) => [
      ...addresses.map(({ asset, kind, url, answer }) => `${asset} (${kind}) ${url}: ${answer}`),
      `${requests} files and tags, ${bytes} bytes`,
      ...findings.map(({ severity, about: asset, text }) => `${severity}: ${asset}: ${text}`),
    ],
  },
  async run(context, named) {
    const { content } = await findNamedCreative(context.store.read, context.tenantId, named)
    const { assets } = content
    const code = codeOf(assets)
    const all = addressesOf(assets)
    const safeFetch = await context.services.safeFetch()
    const asks = await context.services.examination(() => askAll(safeFetch, all, { assets, buyer: named.buyer }))
    const files = asks.filter(({ row }) => row.kind === 'file' || row.kind === 'tag')
    return {
      addresses: asks.map(({ row }) => row),
      requests: files.length,
      bytes: files.reduce((sum, { row }) => sum + (row.bytes ?? 0), Buffer.byteLength(code)),
      hosts: await inTurns(hostsOf(assets)),
      findings: [
        ...asks.flatMap(({ found }) => found),
        ...(clickAddress(assets) !== undefined ? [] : [note('click', 'no asset says where a click leads')]),
        ...signsIn(code, Object.values(SIGNS).flat()).map((words) => note('code', `it ${words}`)),
        ...(code.includes('http://') ? [note('code', 'it names addresses that are not https')] : []),
      ],
    }
  },
})

/** What is examined, and whose it is. */
interface Examined {
  readonly assets: Assets
  readonly buyer: string
}

interface Asked {
  readonly row: ExaminedAddress
  readonly found: readonly Finding[]
}

/** Some at once, in their order. What answers is examined and let go before the next are asked: each may be as large as {@link POLICY} lets it. */
async function askAll(
  safeFetch: SafeFetch,
  addresses: readonly CreativeAddress[],
  creative: Examined,
): Promise<readonly Asked[]> {
  const asked: Asked[] = []
  for (let at = 0; at < addresses.length; at += ASKED_AT_ONCE) {
    const some = addresses.slice(at, at + ASKED_AT_ONCE)
    const examine = async (each: CreativeAddress, index: number): Promise<Asked> => {
      const { row, answer } = await ask(safeFetch, each, at + index < MOST_ASKED)
      return { row, found: await findingsOf(row, answer, creative) }
    }
    asked.push(...(await Promise.all(some.map(examine))))
  }
  return asked
}

const NOT_ASKED = { asked: false, status: null, leads_to: null, media_type: null, bytes: null, redirects: null, cookies: null }

interface Answered {
  readonly row: ExaminedAddress
  readonly answer: FetchAnswer | undefined
}

async function ask(safeFetch: SafeFetch, { asset, kind, url }: CreativeAddress, inTime: boolean): Promise<Answered> {
  const named = { asset, kind, url }
  if (kind === 'tracker') return { row: { ...named, ...NOT_ASKED, answer: 'not asked: it would count' }, answer: undefined }
  if (!inTime)
    return { row: { ...named, ...NOT_ASKED, answer: `not asked: only ${MOST_ASKED} addresses are` }, answer: undefined }
  try {
    const answer = await safeFetch(url, { policy: POLICY, accept: '*/*' })
    const { status, url: end, contentType, body, redirects = 0, cookies = 0 } = answer
    const type = (contentType.split(';')[0] ?? '').trim().toLowerCase()
    const words = [`${status}`, type, `${body.length} bytes`, ...(end === url ? [] : [`leads to ${end}`])]
    const row = {
      ...{ ...named, asked: true, answer: words.filter((word) => word !== '').join(', '), status },
      ...{ leads_to: end === url ? null : end, media_type: type || null, bytes: body.length, redirects, cookies },
    }
    return { row, answer }
  } catch (error) {
    return { row: { ...named, ...NOT_ASKED, asked: true, answer: publicReason(error, 'it cannot be read') }, answer: undefined }
  }
}

async function findingsOf(row: ExaminedAddress, answer: FetchAnswer | undefined, creative: Examined): Promise<Finding[]> {
  const { asset, kind, url, status, cookies, leads_to: end } = row
  const insecure = url.startsWith('http://') ? [problem(asset, 'its address is not https')] : []
  if (!row.asked) return insecure
  if (!answer || status === null) return [...insecure, ...(insecure.length > 0 ? [] : [problem(asset, row.answer)])]
  const failed = status >= 400 ? [problem(asset, `its address answers with ${status}`)] : []
  const ends = kind === 'click' && end !== null ? [note(asset, `a click ends at ${new URL(end).hostname}`)] : []
  const sets = cookies ? [note(asset, `its answers set ${cookies} ${cookies === 1 ? 'cookie' : 'cookies'}`)] : []
  const content = status === 200 ? await contentFindings(asset, creative, row, answer) : []
  return [...insecure, ...failed, ...ends, ...sets, ...content]
}

/** Whether a file is what its asset says. */
async function contentFindings(
  name: string,
  { assets, buyer }: Examined,
  { kind, media_type: type }: ExaminedAddress,
  { body }: FetchAnswer,
): Promise<Finding[]> {
  const asset = assets[name]
  if (kind !== 'file' || asset === undefined) return []
  if (asset.asset_type === 'image') {
    const pixels = await decode('image', { bytes: body }, buyer)
      .then(([found]) => found)
      .catch(() => undefined)
    if (!pixels) return [problem(name, 'what answers is no image')]
    const isAsSaid = pixels.width === asset.width && pixels.height === asset.height
    const sizes = `it is ${pixels.width} × ${pixels.height}, and the creative says ${asset.width} × ${asset.height}`
    return isAsSaid ? [] : [problem(name, sizes)]
  }
  const wanted = asset.asset_type === 'video' || asset.asset_type === 'audio' ? asset.asset_type : undefined
  if (wanted === undefined || type === null || type.startsWith(`${wanted}/`) || type === 'application/octet-stream') return []
  return [problem(name, `what answers is ${type}, no ${wanted}`)]
}

function problem(asset: string, text: string): Finding {
  return { severity: 'problem', about: asset, text }
}

function note(asset: string, text: string): Finding {
  return { severity: 'note', about: asset, text }
}
