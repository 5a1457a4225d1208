import type { Asset, Assets } from '../../../domain/creative/assets.ts'
import { filesToFetch } from '../../../domain/creative/examination.ts'
import { FetchFailure, registrableDomain } from '../../../platform/net/fetch-policy.ts'
import { AdcpError } from '../../../protocol/errors.ts'
import { type FetchCreativeFile, FileUnavailable } from './fetch-creative-file.ts'
import { extensionOf, type FileType } from './file-type.ts'
import { checkedType, MOST_BYTES, requireRatio } from './host-content.ts'

/** What the files of a creative are: what they are said to be; not that (`refused`); not to be had for now (`later`); or larger than is checked here, for a `person` to see. The reason is for the buyer. */
export type FilesFound = { readonly kind: 'fit' } | { readonly kind: 'refused' | 'later' | 'person'; readonly reason: string }

/** For whom files are examined, and what ends it. */
export interface Examination {
  readonly buyer: string
  readonly signal?: AbortSignal
}

/** Fetches the files of a creative and finds what they are. */
export type ExamineFiles = (assets: Assets, examination: Examination) => Promise<FilesFound>

/** Of files that are only fetched. */
const MOST_OTHER_BYTES = 10_000_000
/** For all files of a creative: a fetch of one may take 15 s. */
const ALL_FILES_MS = 30_000
/** How long files of a buyer are not fetched from a site that has just let one of its files wait: less than the time to the next attempt. */
const SITE_RESTS_MS = 30_000
const MOST_RESTING = 10_000

/**
 * Looks at the files of a creative, one after the other, by the rules of the ad server that would host them: the kind that their bytes are, not what they are called.
 * A site (registrable domain) that did not answer in time is asked again later, and not for each of the buyer's files in turn; other buyers still ask it.
 */
export function fileExaminer(fetch: FetchCreativeFile, { allFilesMs = ALL_FILES_MS } = {}): ExamineFiles {
  const restingUntil = new Map<string, number>()
  const rest = (site: string) => {
    restingUntil.delete(site)
    restingUntil.set(site, performance.now() + SITE_RESTS_MS)
    for (const [oldest] of restingUntil) if (restingUntil.size > MOST_RESTING) restingUntil.delete(oldest)
  }
  const fetchFor =
    (buyer: string, signal: AbortSignal): FetchCreativeFile =>
    async (url, maxBytes) => {
      const { hostname } = new URL(url)
      const site = `${buyer} ${registrableDomain(hostname) ?? hostname}`
      if (signal.aborted)
        throw new FileUnavailable(`the files of this creative take longer than ${allFilesMs / 1000} seconds to fetch`)
      if ((restingUntil.get(site) ?? 0) > performance.now())
        throw new FileUnavailable(`the file ${url} of a creative could not be fetched: its host has just not answered in time`)
      return await fetch(url, maxBytes, signal).catch((error: unknown) => {
        if (error instanceof FileUnavailable && error.isLate) rest(site)
        throw error
      })
    }
  return async (assets, { buyer, signal }) => {
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), allFilesMs)
    const ended = signal ? AbortSignal.any([deadline.signal, signal]) : deadline.signal
    try {
      return await filesFound(fetchFor(buyer, ended), assets, buyer)
    } finally {
      clearTimeout(timer)
    }
  }
}

async function filesFound(fetchFile: FetchCreativeFile, assets: Assets, buyer: string): Promise<FilesFound> {
  const { files, unseen } = filesToFetch(assets)
  let found: FilesFound =
    unseen > 0 ? forPerson(`${files.length} of its files are checked here, and ${unseen} more are not`) : { kind: 'fit' }
  for (const { asset, url } of files) {
    const file = await fileFound(fetchFile, assets[asset], url, buyer)
    if (file.kind === 'refused') return file
    // What is to be had later is tried again first.
    if (file.kind !== 'fit' && found.kind !== 'later') found = file
  }
  return found
}

async function fileFound(
  fetchFile: FetchCreativeFile,
  asset: Asset | undefined,
  url: string,
  buyer: string,
): Promise<FilesFound> {
  const kind = kindOf(asset)
  try {
    const content = await fetchFile(url, kind ? MOST_BYTES[kind] : MOST_OTHER_BYTES)
    if (kind) requireAsSaid(await checkedType(content, kind, url, buyer), asset, url)
    const untold = kind ? undefined : untoldForm(asset)
    return untold === undefined
      ? { kind: 'fit' }
      : forPerson(`whether the file ${url} is ${untold} is not told by its bytes here`)
  } catch (error) {
    if (error instanceof FileUnavailable) return { kind: 'later', reason: error.message }
    if (!(error instanceof AdcpError)) return { kind: 'later', reason: `the file ${url} could not be checked for now` }
    const isTooLarge = error.cause instanceof FetchFailure && error.cause.code === 'too_large'
    return isTooLarge ? forPerson(`the file ${url} is larger than is checked here`) : { kind: 'refused', reason: error.message }
  }
}

function forPerson(why: string): FilesFound {
  return { kind: 'person', reason: `a person has to review it: ${why}` }
}

/** The form that an image or a video states and that is not told by its bytes here, such as `svg` and `avif`; undefined for all else. */
function untoldForm(asset: Asset | undefined): string | undefined {
  const form = asset?.asset_type === 'image' ? asset.format : asset?.asset_type === 'video' ? asset.container_format : undefined
  return isTold(form) ? undefined : form
}

/** What the bytes of an asset have to be; undefined where only fetching it is tried: other kinds, and forms of images and videos that are not told by their bytes here. */
function kindOf(asset: Asset | undefined): FileType['kind'] | undefined {
  if (asset?.asset_type === 'image') return isTold(asset.format) ? 'image' : undefined
  if (asset?.asset_type === 'video') return isTold(asset.container_format) ? 'video' : undefined
  return String(asset?.asset_type) === 'zip' ? 'zip' : undefined
}

const TOLD: ReadonlySet<string> = new Set(['png', 'jpg', 'gif', 'webp', 'mp4', 'mov', 'webm'])
const ALIASES: Readonly<Record<string, string>> = { jpeg: 'jpg', quicktime: 'mov', m4v: 'mp4' }

function named(form: string): string {
  const plain = form.toLowerCase()
  return ALIASES[plain] ?? plain
}

function isTold(form: string | undefined): boolean {
  return form === undefined || TOLD.has(named(form))
}

/** Throws CREATIVE_REJECTED for a file in another form or shape than its asset states. */
function requireAsSaid(type: FileType, asset: Asset | undefined, url: string): void {
  const stated = asset?.asset_type === 'image' ? asset.format : asset?.asset_type === 'video' ? asset.container_format : undefined
  if (stated !== undefined && extensionOf(type.mimeType) !== named(stated))
    throw new AdcpError('CREATIVE_REJECTED', `the file ${url} is of type ${type.mimeType}, and its asset says ${stated}`)
  if (asset?.asset_type === 'image') requireRatio(type, asset, url)
}
