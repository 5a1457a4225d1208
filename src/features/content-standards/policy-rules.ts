import type { Artifact } from '../../domain/content-standards/artifact.ts'
import { stemOf, wordsOf } from './artifact-text.ts'
import { TOPICS, type Topic } from './content-topics.ts'

/** Something that must not occur: it does where a text has all stems of one of its signs. */
export interface Forbidden {
  readonly name: string
  readonly signs: readonly (readonly string[])[]
}

/** Something that must be there. */
export interface Required {
  readonly explanation: string
  isMissing(artifact: Artifact): boolean
}

/** What was understood of a policy; both lists empty: nothing. */
export interface PolicyRules {
  readonly forbidden: readonly Forbidden[]
  readonly required: readonly Required[]
}

const NEGATION = /\b(?:no|not|never|avoid\w*|without|prohibit\w*|exclud\w*|forbid\w*|ban(?:s|ned)?|block\w*|reject\w*|free of)\b/i

/** Words that name no subject of their own. */
const GENERIC = new Set(
  (
    'a about ad adjacent ads advertisement advertisements advertising all allowed an any appear appearing are article articles at be brand campaign ' +
    'content creative creatives depict depicting depictions for image imagery images in include including is it items kind like may material media ' +
    'must near next of on only or other page pages permitted placement placements product products promote promoting related should show showing ' +
    'site sites such that the their them these this those to topic topics type types video videos with'
  ).split(' '),
)

const FAMILY = ['violence', 'adult', 'profanity', 'drugs', 'hate', 'gambling']

/**
 * Reads a policy in plain English: sentences with a negation forbid the topics and things that they name, a few known demands are checked on the
 * artifact itself. What it does not understand it leaves out.
 */
export function readPolicy(text: string): PolicyRules {
  const forbidden: Forbidden[] = []
  for (const sentence of text.split(/[.;!?\n]+/)) {
    const negation = NEGATION.exec(sentence)
    if (negation) forbidden.push(...forbiddenIn(sentence.slice(negation.index + negation[0].length)))
  }
  if (/family[- ]friendly|suitable for (?:all|children|families)/i.test(text)) {
    forbidden.push(...TOPICS.filter(({ name }) => FAMILY.includes(name)).map(forbiddenTopic))
  }
  return { forbidden, required: REQUIREMENTS.filter(({ asks }) => asks.test(text)).map(({ required }) => required) }
}

function forbiddenIn(text: string): Forbidden[] {
  const words = wordsOf(text)
  const topics = TOPICS.filter((topic) => topic.names.some((name) => words.has(name)))
  return [...topics.map(forbiddenTopic), ...phrasesOf(text).map(forbiddenPhrase)]
}

function forbiddenTopic(topic: Topic): Forbidden {
  return { name: topic.name, signs: [...topic.names, ...topic.signs].map((sign) => [sign]) }
}

/** Things named between commas and conjunctions, without generic words: `stock photography` needs both of its words. */
function phrasesOf(text: string): string[][] {
  return text
    .toLowerCase()
    .split(/,|\/|\b(?:or|and|nor)\b/)
    .map((part) => (part.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !GENERIC.has(word) && word.length > 3))
    .filter((words) => words.length > 0)
}

function forbiddenPhrase(phrase: readonly string[]): Forbidden {
  return { name: phrase.join(' '), signs: [phrase.map(stemOf)] }
}

const REQUIREMENTS: readonly { readonly asks: RegExp; readonly required: Required }[] = [
  {
    asks: /\balt(?:ernative)?[- ]?texts?\b/i,
    required: {
      explanation: 'an image has no alt text',
      isMissing: ({ assets }) => assets.some((asset) => asset.type === 'image' && isBlank(asset.alt_text)),
    },
  },
  {
    asks: /\b(?:captions|closed captions|subtitles|transcripts?)\b/i,
    required: {
      explanation: 'a video or audio asset has no transcript',
      isMissing: ({ assets }) =>
        assets.some((asset) => (asset.type === 'video' || asset.type === 'audio') && isBlank(asset.transcript)),
    },
  },
]

function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === ''
}
