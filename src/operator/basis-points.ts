import { between, count, type Field } from './fields.ts'

/** All of an amount, in hundredths of a per cent. */
const ALL = 10_000

/** What {@link readPercent} takes, in words. */
export const PERCENT = 'must be per cent from 0 to 100, with at most two decimals'

/** A share from 0 to all, in hundredths of a per cent. */
export function basisPoints(about: string): Field<number, false> {
  return between(0, ALL, count(`${about}, in hundredths of a percent: 250 is 2.5 %`))
}

/** Per cent as people write them, in hundredths: `2,5` → 250, and nothing → 0. What is no per cent stays as it was written: a field of basis points refuses it. */
export function readPercent(text: string): number | string {
  if (text === '') return 0
  const [, whole = '', decimals = ''] = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(text) ?? []
  return whole === '' ? text : Number(whole) * 100 + Number(decimals.padEnd(2, '0'))
}

/** Whether a text is what {@link PERCENT} says. */
export function isPercent(text: string): boolean {
  const points = readPercent(text)
  return typeof points === 'number' && points <= ALL
}

/** Hundredths of a per cent as {@link readPercent} reads them: 250 → `2.5`. */
export function percentOf(points: number): string {
  return String(points / 100)
}
