# The Python package: make python builds the wheel, make check-python tests it where it is
# installed.  Part of the Makefile above.

PYTHON := /usr/bin/python3
PY := $(B)/python
PY_SRC := $(sort $(wildcard python/src/*.c))
PY_FILES := $(sort $(shell find python/sotto -name '*.py' -o -name '*.pyi' -o -name py.typed))
PY_INCLUDE = $(shell $(PYTHON) -c 'import sysconfig; print(sysconfig.get_path("include"))')

# The limited API of CPython 3.9: one build for every later version.
PY_CFLAGS = $(BASE) $(TUNE) $(CFLAGS) -DPy_LIMITED_API=0x03090000 -Iinclude -isystem $(PY_INCLUDE) \
	-Wno-cast-function-type

$(PY)/obj/%.o: python/src/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(PY_CFLAGS) -c $< -o $@

$(PY)/_native.abi3.so: $(PY_SRC:python/src/%.c=$(PY)/obj/%.o) $(B)/libsotto.so
	$(call say,LINK,$@)
	$(Q)$(CC) $(TUNE) -shared -pthread -Wl,-z,relro,-z,now -Wl,-rpath,'$$ORIGIN/_lib' -o $@ $(filter %.o,$^) $(SO)

# The program runs the engine, and pip installs it too.
$(PY)/sotto: $(CMD_OBJ) $(B)/libsotto.so
	$(call say,LINK,$@)
	$(Q)$(CC) $(TUNE) -pthread -Wl,-rpath,'$$ORIGIN' -o $@ $(CMD_OBJ) $(SO) $(PKG_LIBS)

$(PY)/wheel: $(PY)/_native.abi3.so $(PY)/sotto $(SO) $(PY_FILES) python/build_wheel.py LICENSE VERSION
	$(call say,WHEEL,$(PY))
	$(Q)$(PYTHON) python/build_wheel.py $(PY) $(SO) > $@
	$(if $(BRIEF),,@cat $@)

.PHONY: python check-python
python: $(PY)/wheel

check-python: python
	@python/check
