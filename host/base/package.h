/* The command that installs the Python package, which has more verbs and formats than the
 * program. */
#ifndef IMP_PACKAGE_H
#define IMP_PACKAGE_H

/* The command for what an extra of pyproject.toml brings, as long as no index of packages has
 * impinge. The day one has it, this becomes "pip install 'impinge[" extra "]'". */
#define PACKAGE_WITH(extra) "pip install '.[" extra "]' in a clone of impinge"

#endif
