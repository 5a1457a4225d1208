import type { Artifact } from '../../domain/content-standards/artifact.ts'
import { withoutTags } from '../../domain/without-tags.ts'
import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'

/** The words of an artifact, reduced to their stems: those of its texts, and those of its names and addresses. */
export interface ArtifactText {
  readonly said: ReadonlySet<string>
  readonly named: ReadonlySet<string>
}

/** Endings that English words of one family differ in, longest first. */
const ENDINGS = [
  'ically',
  'ations',
  'ation',
  'ingly',
  'ences',
  'ances',
  'ments',
  'ence',
  'ance',
  'ment',
  'ical',
  'ials',
  'ians',
  'ious',
  'ial',
  'ian',
  'ing',
  'ies',
  'ent',
  'ant',
  'ers',
  'ed',
  'er',
  'es',
  'al',
  'ly',
  'ic',
  'y',
  's',
  'e',
]

/** A stem shorter than this says too little. */
const SHORTEST_STEM = 4

/** Longer runs of letters are no words of a language whose endings are known here: each is its own stem. */
const LONGEST_WORD = 64

/** The words of an artifact, all at once: for few of them. */
export function textOf(artifact: Artifact): ArtifactText {
  return atOnce(readText(artifact))
}

/** Collects the words of an artifact, a text a step. Text is data here: nothing in it is followed. */
export function* readText(artifact: Artifact): Steps<ArtifactText> {
  const words = { said: new Set<string>(), named: new Set<string>() }
  for (const [kind, text] of textsOf(artifact)) {
    for (const word of wordsOf(text)) words[kind].add(word)
    yield
  }
  return words
}

function* textsOf(artifact: Artifact): Generator<readonly [keyof ArtifactText, string]> {
  const said = function* (holder: object, names: readonly string[]) {
    for (const text of stringsOf(holder, names)) yield ['said', text] as const
  }
  yield* said(artifact, ['title', 'description'])
  yield ['named', artifact.artifact_id]
  yield ['named', pathOf(artifact.url)]
  for (const asset of artifact.assets) {
    if (asset.type === 'text') yield ['said', asset.content_format === 'text/html' ? withoutTags(asset.content) : asset.content]
    else {
      yield* said(asset, ['alt_text', 'caption', 'transcript'])
      yield ['named', pathOf(asset.url)]
    }
  }
  const { metadata } = artifact
  if (!metadata) return
  yield* said(metadata, ['keywords'])
  for (const card of [metadata.open_graph, metadata.twitter_card]) if (card) yield* said(card, ['title', 'description'])
}

/** Stems of the words of a text. */
export function wordsOf(text: string): ReadonlySet<string> {
  return new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map(stemOf))
}

/** The part of a word that its family shares, as far as endings tell: `violent`, `violence` and `violently` give `viol`. */
export function stemOf(word: string): string {
  if (word.length > LONGEST_WORD) return word
  let stem = word
  for (;;) {
    const ending = ENDINGS.find((each) => stem.endsWith(each) && stem.length - each.length >= SHORTEST_STEM)
    if (ending === undefined) return stem
    stem = stem.slice(0, -ending.length)
  }
}

function stringsOf(holder: object, names: readonly string[]): string[] {
  return Object.entries(holder).flatMap(([name, value]) => (names.includes(name) && typeof value === 'string' ? [value] : []))
}

/** What an address says beside where it is; the host is somebody's brand, not content. */
function pathOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return ''
  const { pathname } = new URL(url)
  try {
    return decodeURIComponent(pathname)
  } catch {
    return pathname
  }
}
