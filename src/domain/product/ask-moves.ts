import { textAfter } from '../text-after.ts'
import type { ShareChange } from './ask-changes.ts'
import { isOfBudget } from './ask-figures.ts'
import { type AskedMoney, moneyAsked, withoutMoney } from './ask-money.ts'
import { namesPart, partIn, subjectOf } from './ask-subject.ts'

/** "move 15% from display to video", "shift 20% of CTV to display"; undefined unless a clause names a figure, a source and a target in words. */
export function moveOf(clause: string, percent: number, written: string): ShareChange | undefined {
  if (!(percent > 0 && percent <= 100)) return undefined
  const [before = '', source = ''] = clause.split(/\bfrom\b/i)
  const part = isOfBudget(written) ? '' : textAfter(clause, /\d\s?%\sof\b/i)
  const relative = source === '' && part !== ''
  const [from = '', ...to] = (relative ? part : source).split(/\b(?:to|into|towards?)\b/i)
  if (relative) {
    if (to.length !== 1 || !namesPart(subjectOf(from))) return undefined
    return { kind: 'move', points: percent, relative, ...subjectOf(to[0] ?? ''), from: subjectOf(from) }
  }
  if (source === '' || !/\d\s?%/.test(before) || /\d\s?%/.test(source) || to.length > 1) return undefined
  if (to.length === 0) return { kind: 'less', points: percent, ...subjectOf(from) }
  return { kind: 'move', points: percent, ...subjectOf(to[0] ?? ''), from: subjectOf(from) }
}

/** "take it from display and give it to video". */
const AND_GIVE = / and (?:give|put|move|add|shift|use)(?: it| them| that)?\b/i

/** Says that money goes from one place to another. */
const MOVES =
  /\b(?:move|shift|transfer|reallocate|re-allocate|redistribute|take|put|give|bring|switch|reassign|flytta|flytt|verschiebe|verschieben|schiebe|umschichten)\b/i
const FROM = /\b(?:from|out of|of|från|fra|von|vom|aus)\b/i
const TO = /\b(?:to|into|onto|towards?|till|til|zu|zum|nach|auf)\b/i
/** Directly before an amount, which then is not what is spent in all. */
const MOVED = /\b(?:move|shift|transfer|reallocate|re-allocate|redistribute|flytta|flytt|verschiebe|schiebe)\s+$/i

/**
 * "move 5,000 EUR from video to display": what goes where, or undefined for `change` where its two ends are not told. Undefined for a clause that moves no money. The total of a
 * plan is never what is moved in it.
 */
export function transferOf(clause: string): { readonly change: ShareChange | undefined } | undefined {
  if (!MOVES.test(clause) || /%/.test(clause)) return undefined
  const money: AskedMoney | undefined = moneyAsked(clause, { isBare: true })
  if (!money) return undefined
  const [before = '', after = ''] = withoutMoney(clause, '\n').split('\n')
  const way = textAfter(`${before} ${after}`, FROM)
  if (way === '' && !MOVED.test(before) && !partIn(clause)) return undefined
  const [from = '', to = '', ...more] = way.replace(AND_GIVE, ' ').split(TO)
  const [source, target] = [subjectOf(from), subjectOf(to)]
  const isNamed = namesPart(source) && namesPart(target) && more.length === 0
  return { change: isNamed ? { kind: 'transfer', money, ...target, from: source } : undefined }
}
