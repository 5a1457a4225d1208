import { cpus, totalmem } from 'node:os'

/** The machine, as far as it decides what is measured on it. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly node: string
}

/** The machine that this runs on. */
export function machine(): Machine {
  const model = cpus()[0]?.model.trim() ?? 'unknown'
  return { cpu: model, cores: cpus().length, memoryGb: Math.round(totalmem() / 2 ** 30), node: process.version }
}
