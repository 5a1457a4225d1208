import { textAfter } from '../text-after.ts'
import { channelsIn, isChannelTerm } from './brief-channels.ts'
import { termsOf } from './brief-terms.ts'

/** What a share change is about: channels (AdCP enums/channels), and terms that its products have beside them. */
export interface Subject {
  readonly channels: readonly string[]
  readonly terms: readonly string[]
  /** The clause as the buyer wrote it. */
  readonly text: string
}

/** A change of a plan's shares. */
export type ShareChange =
  /** To a share; `way` is where the words say that it goes: a result that goes elsewhere is not what was asked. */
  | (Subject & { readonly kind: 'set'; readonly percent: number; readonly way?: 'up' | 'down' })
  /** Points of share from one part of the plan to another. */
  | (Subject & { readonly kind: 'move'; readonly points: number; readonly from: Subject })
  | (Subject & { readonly kind: 'drop' })
  /** By so many points of share; by a usual step where the ask says no number. */
  | (Subject & { readonly kind: 'more' | 'less'; readonly points?: number })
  /** To a multiple of the share that it has. */
  | (Subject & { readonly kind: 'times'; readonly factor: number })
  /** Two parts of the plan exchange their shares. */
  | (Subject & { readonly kind: 'swap'; readonly other: Subject })
  /** The same share for every product. */
  | { readonly kind: 'equal'; readonly text: string }
  | { readonly kind: 'scale'; readonly factor: number }

const DROP = /\b(drop|remove|without|exclude|take out|no)\b/i
const MORE = /\b(more|shift|towards?|increase|raise|favou?r|emphasi[sz]e|redistribute|add)\b/i
const MOVES_UP = /\b(?:more|shift|move|towards?|increase|raise|add)\b/i
const LESS = /\b(less|fewer|reduce|cut|lower|decrease)\b/i

/** Stems of words that say how much or what to do, not of what. */
const NO_SUBJECT = new Set(
  termsOf(
    'shift move put add increase raise favour favor emphasise emphasize redistribute towards toward away reduce cut lower decrease fewer drop ' +
      'remove exclude without take out no half halve double twice triple equal equally evenly even split divide spread distribute weight parts give point rest money share shares mix percent bit little much lot some there here instead please would like must',
  ),
)

/** What a kind of video is called says more than its channel. */
const NARROW = new Set(['preroll', 'outstream'])

function subjectOf(text: string): Subject {
  const terms = termsOf(text).filter(
    (term) => (!isChannelTerm(term) || NARROW.has(term)) && !NO_SUBJECT.has(term) && !/\d/.test(term),
  )
  return { channels: channelsIn(text), terms, text: text.trim() }
}

/** "move 15% from display to video": undefined unless a clause names a figure, a source and a target in words. */
function moveOf(clause: string, percent: number): ShareChange | undefined {
  const [before = '', source = ''] = clause.split(/\bfrom\b/i)
  const [from = '', ...to] = source.split(/\b(?:to|into|towards?)\b/i)
  if (!(percent > 0 && percent <= 100) || !/\d\s?%/.test(before) || to.length !== 1 || /\d\s?%/.test(source)) return undefined
  return { kind: 'move', points: percent, ...subjectOf(to[0] ?? ''), from: subjectOf(from) }
}

/** Figures in words as figures: "10 points", "to half", and of "half the budget" that goes somewhere. */
export function withFigures(clause: string): string {
  const text = clause
    .replace(/(\d)\s?(?:percentage |per cent )?(?:points?|pts|pp)\b/gi, '$1%')
    .replace(/\bto (?:a |one )?half\b/gi, 'to 50%')
    .replace(/\bto (?:a|one) quarter\b/gi, 'to 25%')
  return channelsIn(text).length > 0 ? text.replace(/\bhalf (?:of )?(?:the |our )?(?=budget|money|spend)/gi, '50% of ') : text
}

const TIMES: readonly (readonly [pattern: RegExp, factor: number])[] = [
  [/\b(?:in half|by half|halve|half)\b/i, 0.5],
  [/\b(?:double|twice)\b/i, 2],
  [/\btriple\b/i, 3],
]

/** "halve CTV", "double the budget", "equal shares", "swap CTV and display"; undefined for anything else. */
function ratioOf(clause: string, channels: readonly string[]): ShareChange | undefined {
  const subject = subjectOf(clause)
  if (/\b(?:equal|equally|evenly|even split|even shares)\b/i.test(clause) && channels.length + subject.terms.length === 0)
    return { kind: 'equal', text: clause.trim() }
  const [one = '', other = '', ...more] = textAfter(clause, /\b(?:swap|exchange)\b/i).split(/\b(?:and|with)\b/i)
  if (other !== '') return more.length === 0 ? { kind: 'swap', ...subjectOf(one), other: subjectOf(other) } : undefined
  const factor = /%/.test(clause) ? undefined : TIMES.find(([pattern]) => pattern.test(clause))?.[1]
  // "half of the CTV to display" is about two parts.
  if (factor === undefined || /\b(?:from|to|into|towards?)\b/i.test(clause)) return undefined
  if (channels.length === 0 && /\b(?:budget|total|overall|spend)\b/i.test(clause)) return { kind: 'scale', factor }
  return channels.length > 0 || subject.terms.length > 0 ? { kind: 'times', factor, ...subject } : undefined
}

/** The changes of shares that one clause of an ask names; a change of the whole budget scales the plan. */
export function changesOf(written: string): ShareChange[] {
  const clause = withFigures(written)
  const channels = channelsIn(clause)
  const percent = Number(/(\d{1,3})\s?%/.exec(clause)?.[1] ?? Number.NaN)
  const ofTotal = (verb: RegExp) => /\b(?:total|overall|budget)\b/i.test(textAfter(clause, verb))
  if (ofTotal(/\b(?:reduce|cut|lower|decrease)\b/i) && channels.length === 0 && percent < 100) {
    return [{ kind: 'scale', factor: 1 - percent / 100 }]
  }
  if (ofTotal(/\b(?:raise|increase)\b/i) && channels.length === 0 && percent > 0) {
    return [{ kind: 'scale', factor: 1 + percent / 100 }]
  }
  const named = moveOf(clause, percent) ?? ratioOf(clause, channels)
  if (named) return [named]
  const subject = subjectOf(clause)
  const { terms } = subject
  if (DROP.test(clause)) return [{ kind: 'drop', ...subject }]
  if (channels.length === 0 && terms.length === 0) return []
  const isStep = /\b(?:less|fewer|reduce|cut|lower|decrease|more|increase|raise|add)\b/i.test(clause) && !/\bto\s\d/i.test(clause)
  if (percent <= 100 && channels.length > 0 && !isStep) {
    const way = LESS.test(clause) ? 'down' : MOVES_UP.test(clause) ? 'up' : undefined
    return [{ kind: 'set', percent, ...(way && { way }), ...subject }]
  }
  const step = percent > 0 && percent <= 100 ? { points: percent, ...subject } : subject
  if (LESS.test(clause)) return [{ kind: 'less', ...step }]
  return MORE.test(clause) ? [{ kind: 'more', ...step }] : []
}
