import { textAfter } from '../text-after.ts'
import { boundOf, isOfBudget, signOf, withFigures } from './ask-figures.ts'
import type { AskedMoney } from './ask-money.ts'
import { moveOf } from './ask-moves.ts'
import { namesPart, type Subject, subjectOf } from './ask-subject.ts'
import { withoutIds } from './brief-channels.ts'
import { stem, wordsOf } from './brief-terms.ts'
import { placeListsIn } from './named-places.ts'

/** A change of a plan's shares. */
export type ShareChange =
  /** To a share; `way` is where the words say that it goes: a result that goes elsewhere is not what was asked. */
  | (Subject & {
      readonly kind: 'set'
      readonly percent: number
      readonly way?: 'up' | 'down'
      /** A limit that the share may hold already. */
      readonly bound?: 'least' | 'most'
    })
  /** Points of share from one part of the plan to another; `relative`: per cent of what the first has. By a usual step where the ask says no number. */
  | (Subject & { readonly kind: 'move'; readonly points?: number; readonly relative?: true; readonly from: Subject })
  /** Money of the plan from one part of it to another. */
  | (Subject & { readonly kind: 'transfer'; readonly money: AskedMoney; readonly from: Subject })
  | (Subject & { readonly kind: 'drop' })
  /** By so many points of share, or per cent of the share that it has; by a usual step where the ask says no number. */
  | (Subject & { readonly kind: 'more' | 'less'; readonly points?: number; readonly relative?: true })
  /** The share stays. */
  | (Subject & { readonly kind: 'keep' })
  /** To a multiple of the share that it has. */
  | (Subject & { readonly kind: 'times'; readonly factor: number })
  /** Two parts of the plan exchange their shares; `joins`: what is not in the plan takes the place of what is. */
  | (Subject & { readonly kind: 'swap'; readonly other: Subject; readonly joins?: true })
  /** A part of the plan gives its share to what takes its place. */
  | (Subject & { readonly kind: 'replace'; readonly by: Subject })
  /** The same share for every product. */
  | { readonly kind: 'equal'; readonly text: string }
  | { readonly kind: 'scale'; readonly factor: number }

const DROP = /\b(drop|remove|without|exclude|take out|no)\b/i
/** Compares or negates something that no rule reads: to act on the rest would be the opposite. */
const UNREADABLE = /\bthan\b|\b(?:no|not)\s(?:so |too |that )?(?:more|less|fewer|much|many)\b/i
const MORE = /\b(more|shift|towards?|increase|raise|favou?r|emphasi[sz]e|redistribute|add)\b/i
const MOVES_UP = /\b(?:more|shift|move|towards?|increase|raise|add|up)\b/i
const MOVES_DOWN = /\b(?:less|fewer|reduce|cut|lower|decrease|down)\b/i
const LESS = /\b(less|fewer|reduce|cut|lower|decrease)\b/i

/** What a change says beside the products that it names: nothing that a product which is named could be told by. */
export function wordsBesideIds(change: ShareChange): string[] {
  if (!('ids' in change)) return []
  const other = 'from' in change ? change.from : 'other' in change ? change.other : 'by' in change ? change.by : undefined
  return [change, other].flatMap((part) => {
    const { ids = [], channels = [], terms = [], text = '' } = part ?? {}
    const words =
      ids.length > 0 && channels.length === 0 ? wordsOf(withoutIds(text)).filter((word) => terms.includes(stem(word))) : []
    return words.length > 0 ? [words.join(' ')] : []
  })
}

/** "replace CTV with display", "swap CTV for display", "display instead of CTV"; undefined unless a clause names one thing on each side that is no place. */
function replacementOf(clause: string): ShareChange | undefined {
  const isSubstitute = /\bsubstitute\b/i.test(clause) && /\bfor\b/i.test(clause)
  const [verbed, instead] = [
    textAfter(clause, /\b(?:replace|substitute|swap|exchange|switch)\b/i),
    /\b(?:instead|in place) of\b/i,
  ]
  const parts = verbed === '' ? clause.split(instead) : verbed.split(/\b(?:for|with|by)\b/i)
  const sides = verbed === '' || isSubstitute ? parts.toReversed() : parts
  if (sides.length !== 2 || sides.some((side) => /,|\band\b/i.test(side) || placeListsIn(side).length > 0)) return undefined
  const [subject, joining] = sides.map(subjectOf)
  const isNamed = (each: Subject | undefined) => each !== undefined && (namesPart(each) || each.terms.length > 0)
  return subject && joining && isNamed(subject) && isNamed(joining) ? { kind: 'replace', ...subject, by: joining } : undefined
}

const TIMES: readonly (readonly [pattern: RegExp, factor: number])[] = [
  [/\b(?:in half|by half|halve|half)\b/i, 0.5],
  [/\b(?:double|twice)\b/i, 2],
  [/\btriple\b/i, 3],
]

/** "halve CTV", "double the budget", "equal shares", "swap CTV and display"; undefined for anything else. */
function ratioOf(clause: string): ShareChange | undefined {
  const subject = subjectOf(clause)
  const isAny = subject.terms.length > 0 || namesPart(subject)
  if (/\b(?:equal|equally|evenly|even split|even shares)\b/i.test(clause) && !isAny) return { kind: 'equal', text: clause.trim() }
  const [one = '', other = '', ...more] = textAfter(clause, /\b(?:swap|exchange)\b/i).split(/\b(?:and|with)\b/i)
  if (other !== '' && !/\bfor\b/i.test(clause))
    return more.length === 0
      ? { kind: 'swap', ...subjectOf(one), other: subjectOf(other), ...(/\bwith\b/i.test(clause) && { joins: true }) }
      : undefined
  const replacement = replacementOf(clause)
  if (replacement) return replacement
  const factor = /%/.test(clause) ? undefined : TIMES.find(([pattern]) => pattern.test(clause))?.[1]
  // "half of the CTV to display" is about two parts.
  if (factor === undefined || /\b(?:from|to|into|towards?)\b/i.test(clause)) return undefined
  if (!namesPart(subject) && /\b(?:budget|total|overall|spend)\b/i.test(clause)) return { kind: 'scale', factor }
  return isAny ? { kind: 'times', factor, ...subject } : undefined
}

/** What a clause says to leave as it is: nothing where it names no part of a plan. */
export function keptIn(clause: string): ShareChange[] {
  const subject = subjectOf(clause)
  return namesPart(subject) ? [{ kind: 'keep', ...subject }] : []
}

/** The changes of shares that one clause of an ask names; a change of the whole budget scales the plan. */
export function changesOf(written: string): ShareChange[] {
  const clause = withFigures(written)
  const subject = subjectOf(clause)
  const isPart = namesPart(subject)
  const percent = Number(/(\d{1,3})\s?%/.exec(clause)?.[1] ?? Number.NaN)
  const scale = !isPart && percent > 0 ? scaleOf(clause, percent) : undefined
  if (scale) return [scale]
  const bound = boundOf(clause)
  if (bound) return isPart && bound.percent <= 100 ? [{ kind: 'set', ...bound, ...subject }] : []
  if (UNREADABLE.test(clause)) return []
  const named = moveOf(clause, percent, written) ?? ratioOf(clause)
  if (named) return [named]
  const { terms } = subject
  if (DROP.test(clause)) return [{ kind: 'drop', ...subject }]
  if (!isPart && terms.length === 0) return []
  const sign = signOf(clause)
  const isStep =
    sign !== undefined ||
    (/\b(?:less|fewer|reduce|cut|lower|decrease|more|increase|raise|add)\b/i.test(clause) && !/\bto\s\d/i.test(clause))
  if (percent <= 100 && isPart && !isStep) {
    const way = MOVES_DOWN.test(clause) ? 'down' : MOVES_UP.test(clause) ? 'up' : undefined
    return [{ kind: 'set', percent, ...(way && { way }), ...subject }]
  }
  const relative = isOfBudget(written) ? {} : ({ relative: true } as const)
  const step = percent > 0 && percent <= 100 ? { points: percent, ...relative, ...subject } : subject
  if (sign === 'down' || LESS.test(clause)) return [{ kind: 'less', ...step }]
  return sign === 'up' || MORE.test(clause) ? [{ kind: 'more', ...step }] : []
}

/** "raise the budget by 20%", "10% less budget". */
function scaleOf(clause: string, percent: number): ShareChange | undefined {
  const isOf = (verb: RegExp) => /\b(?:total|overall|budget)\b/i.test(textAfter(clause, verb))
  if (isOf(/\b(?:reduce|cut|lower|decrease|less)\b/i))
    return percent < 100 ? { kind: 'scale', factor: 1 - percent / 100 } : undefined
  return isOf(/\b(?:raise|increase|more|extra|additional)\b/i) ? { kind: 'scale', factor: 1 + percent / 100 } : undefined
}
