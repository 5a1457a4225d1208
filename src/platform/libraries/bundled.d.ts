// The parts of bundled libraries that this program uses: their own types come from elsewhere or cover far more.

declare module 'pdfkit' {
  interface TextOptions {
    readonly width?: number
    readonly align?: 'left' | 'right'
    readonly lineBreak?: boolean
  }

  export default class PDFDocument {
    constructor(options: {
      readonly size: 'A4'
      readonly margin: number
      readonly bufferPages: boolean
      readonly font: string
      readonly info: { readonly Title: string; readonly CreationDate: Date }
      readonly lang: string
    })
    y: number
    readonly page: { readonly margins: { bottom: number } }
    registerFont(name: string, file: string): this
    font(name: string, size?: number): this
    text(text: string, x: number, y: number, options?: TextOptions): this
    text(text: string, options?: TextOptions): this
    heightOfString(text: string, options: TextOptions): number
    addPage(): this
    bufferedPageRange(): { readonly count: number }
    switchToPage(page: number): void
    moveTo(x: number, y: number): this
    lineTo(x: number, y: number): this
    lineWidth(width: number): this
    stroke(color: string): this
    on(event: 'data', take: (chunk: Uint8Array) => void): this
    on(event: 'end', take: () => void): this
    on(event: 'error', take: (error: Error) => void): this
    end(): void
  }
}

declare module 'write-excel-file/node' {
  type Cell =
    | { readonly value: string; readonly type: StringConstructor; readonly fontWeight?: 'bold' }
    | { readonly value: number; readonly type: NumberConstructor }
    | { readonly value: string; readonly type: 'Formula' }
    | null
  export default function writeExcelFile(
    rows: readonly (readonly Cell[])[],
    options: { readonly sheet: string; readonly stickyRowsCount: number },
  ): { toBuffer(): Promise<Uint8Array> }
}
