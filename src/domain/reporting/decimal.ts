/** Micros as a decimal number without needless digits: 2_600_000 is "2.6". */
export function decimal(micros: number): string {
  const sign = micros < 0 ? '-' : ''
  const digits = String(Math.abs(micros)).padStart(7, '0')
  return `${sign}${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0{0,6}$/, '')
}
