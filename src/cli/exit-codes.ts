/** Of commands that ask others a question: the answer is no. */
export const EXIT_NO = 1

/** The question could not be answered because no host replied. A script should retry; EXIT_NO is a definite answer. */
export const EXIT_UNKNOWN = 2
