/** Rows of a report that do not count: nothing of them is stored, shown or billed. */
export class RefusedRows {
  #count = 0
  #first = ''

  /** `line`: the id by which the report has it; `fault`: see `faultOfReported`. */
  add(line: string, fault: string): void {
    if (this.#count === 0) this.#first = `line ${line}: ${fault}`
    this.#count++
  }

  /** How many, and what is wrong with the first; undefined: every row counts. */
  get reason(): string | undefined {
    if (this.#count === 0) return undefined
    return `${this.#count === 1 ? '1 row does not count' : `${this.#count} rows do not count, the first`}: ${this.#first}`
  }
}
